import { addWords } from "../../i18n/dictionary";
import { sources } from "../../i18n/words/sources";

addWords(sources);

export { SourcesPage as default } from "./SourcesPage";

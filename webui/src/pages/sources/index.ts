import { addWords } from "../../i18n/dictionary";
import { sourceList } from "../../i18n/words/sourceList";
import { sources } from "../../i18n/words/sources";
import { sourceSettings } from "../../i18n/words/sourceSettings";

addWords(sources);
addWords(sourceList);
addWords(sourceSettings);

export { SourcesPage as default } from "./SourcesPage";

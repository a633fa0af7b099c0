import { addWords } from "../../i18n/dictionary";
import { retention } from "../../i18n/words/retention";
import { rule } from "../../i18n/words/rule";

addWords(retention);
addWords(rule);

export { RetentionPage as default } from "./RetentionPage";

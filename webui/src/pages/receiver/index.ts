import { addWords } from "../../i18n/dictionary";
import { connections } from "../../i18n/words/connections";
import { receiver } from "../../i18n/words/receiver";

addWords(connections);
addWords(receiver);

export { ReceiverPage as default } from "./ReceiverPage";

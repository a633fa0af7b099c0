import { addWords } from "../../i18n/dictionary";
import { certificates } from "../../i18n/words/certificates";
import { listeners } from "../../i18n/words/listeners";
import { senders } from "../../i18n/words/senders";

addWords(certificates);
addWords(listeners);
addWords(senders);

export { ListenersPage as default } from "./ListenersPage";

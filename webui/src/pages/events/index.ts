import { addWords } from "../../i18n/dictionary";
import { events } from "../../i18n/words/events";

addWords(events);

export { EventsPage as default } from "./EventsPage";

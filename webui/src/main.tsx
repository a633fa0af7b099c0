import { render } from "preact";
import { App } from "./app";
import { startPrefs } from "./state/prefs";
import { followLink, startRouter } from "./state/router";
import { startSession } from "./state/session";
import "./styles/tokens.css";
import "./styles/base.css";

startPrefs();
startRouter();
startSession();
document.addEventListener("click", followLink);

const place = document.getElementById("app");
if (place) render(<App />, place);

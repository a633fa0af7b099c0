import { useEffect } from "preact/hooks";
import { Boundary } from "./components/Boundary";
import { lazyPage } from "./components/lazyPage";
import { PAGES } from "./components/shell/Nav";
import { Shell } from "./components/shell/Shell";
import ui from "./components/ui.module.css";
import { useWords } from "./i18n";
import { Dashboard } from "./pages/dashboard/Dashboard";
import { Connecting, LogIn } from "./pages/enter/LogIn";
import { SetUp } from "./pages/enter/SetUp";
import { Logs } from "./pages/logs/Logs";
import { System } from "./pages/system/System";
import { useRoute, type Route } from "./state/router";
import { gate } from "./state/session";
import { useStore } from "./state/store";
import type { Session } from "./api/types";

/* Loaded when they are opened first, each with its words. */
const Benchmark = lazyPage(() => import("./pages/benchmark"));
const Events = lazyPage(() => import("./pages/events"));
const Listeners = lazyPage(() => import("./pages/listeners"));
const Receiver = lazyPage(() => import("./pages/receiver"));
const Retention = lazyPage(() => import("./pages/retention"));
const Sources = lazyPage(() => import("./pages/sources"));

function Page({ route, session }: { route: Route; session: Session }) {
    const { t } = useWords();
    switch (route.path) {
        case "/":
            return <Dashboard />;
        case "/logs":
            return <Logs session={session} />;
        case "/sources":
            return <Sources session={session} />;
        case "/retention":
            return <Retention session={session} />;
        case "/benchmark":
            return <Benchmark session={session} />;
        case "/events":
            return <Events session={session} />;
        case "/receiver":
            return <Receiver session={session} />;
        case "/listeners":
            return <Listeners session={session} />;
        case "/system":
            return <System session={session} />;
        default:
            return (
                <div class={ui.note}>
                    {t("page.missing", { path: route.path })} <a href="/">{t("page.toDashboard")}</a>
                </div>
            );
    }
}

export function App() {
    const { t } = useWords();
    const route = useRoute();
    const state = useStore(gate);
    const page = PAGES.find((p) => p.path === route.path);
    const box = state.state === "in" ? state.session.box.name : "";

    useEffect(() => {
        document.title = [page ? t(page.word) : "", box, t("app.product")].filter(Boolean).join(" · ");
    }, [page, box, t]);

    switch (state.state) {
        case "asking":
            return null;
        case "unreachable":
            return <Connecting code={state.code} message={state.message} />;
        case "setup":
            return <SetUp />;
        case "login":
            return <LogIn ended={state.ended} />;
        case "in":
            return (
                <Shell session={state.session} path={route.path}>
                    <Boundary of={`${route.path}?${route.params}`}>
                        <Page route={route} session={state.session} />
                    </Boundary>
                </Shell>
            );
    }
}

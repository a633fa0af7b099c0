import { getSize } from "../../api/retention";
import { Failed, Skeleton } from "../../components/States";
import { useResource } from "../../state/useResource";
import { Cost } from "./Cost";
import css from "./retention.module.css";
import { Sizing } from "./Sizing";
import type { View } from "./view";

export function SizeAndCost({ view }: { view: View }) {
    const measured = useResource("measured", (signal) => getSize(null, signal));
    return (
        <div class={css.grid}>
            {measured.error && !measured.data && <Failed error={measured.error} retry={measured.reload} />}
            {!measured.data && !measured.error && <Skeleton heights={[300]} />}
            {measured.data && <Sizing measured={measured.data} r={view.data} />}
            <Cost view={view} />
        </div>
    );
}

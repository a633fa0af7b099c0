import type { ComponentChildren } from "preact";
import type { Report } from "../../api/benchReport";
import { Copy } from "../../components/Copy";
import type { Key } from "../../i18n";
import { Card } from "../../components/States";
import { formatBytes, formatCount, formatExact } from "../../utils/format";
import css from "./benchmark.module.css";
import type { Reader } from "./reader";
import { namedIn, targetText } from "./texts";

/** What a report says in English alone. */
const FACTS: Record<string, Key> = {
    none: "bench.machine.none",
    "a virtual machine": "bench.machine.isVirtual",
    "PostgreSQL, on the disk, searchable": "bench.machine.searchable",
    "PostgreSQL, on the disk, a row a message": "bench.machine.rows",
    "flat files, in the page cache": "bench.machine.files",
};

/** What a figure is worth only together with: the machine, its state, what was measured and how. */
export function MachineCard({ report, reader: { t } }: { report: Report; reader: Reader }) {
    const { machine: m, speed, targets, command } = report;
    const cpu = m?.cpu ? t("bench.machine.cores", { cpu: m.cpu, n: m.cores ?? "?" }) : null;
    // what a virtual machine's disk says of itself is the hypervisor's word
    const isGuest = m?.virtualization != null && m.virtualization !== "none";
    const disk = [m?.disk, m?.file_system].filter(Boolean).join(", ");
    const rows: [string, ComponentChildren][] = [
        [t("bench.machine.name"), m?.name],
        [t("bench.machine.cpu"), cpu],
        [t("bench.machine.memory"), m?.memory_bytes != null ? formatBytes(m.memory_bytes) : null],
        [t("bench.machine.disk"), disk && (m?.disk_is_rotational && !isGuest ? t("bench.machine.turning", { disk }) : disk)],
        [t("bench.machine.virtual"), m?.virtualization && namedIn(FACTS, m.virtualization, t)],
        [t("bench.machine.kernel"), m?.kernel],
        [t("bench.machine.load"), m?.load_before?.toFixed(2)],
        [t("bench.machine.drift"), speed?.drift_percent != null ? `${speed.drift_percent.toFixed(1)} %` : null],
        [t("bench.machine.version"), [report.version, report.build].filter(Boolean).join(", ")],
        ...targets.map((target): [string, ComponentChildren] => [
            t("bench.machine.target", { name: targetText(target.name, t) }),
            [
                [target.product, target.version].filter(Boolean).join(" "),
                target.stores && namedIn(FACTS, target.stores, t),
                target.receive_buffer_bytes !== null && t("bench.machine.buffer", { bytes: formatBytes(target.receive_buffer_bytes) }),
            ]
                .filter(Boolean)
                .join(" · "),
        ]),
        ...Object.entries(m?.sysctls ?? {}).map(([name, value]): [string, ComponentChildren] => [name, typeof value === "number" ? formatCount(value) : value]),
        [t("bench.machine.span"), `${formatExact(report.started_at)}${report.ended_at ? ` – ${formatExact(report.ended_at)}` : ""}`],
        [
            t("bench.machine.command"),
            command && (
                <>
                    <code>{command}</code> <Copy text={command} />
                </>
            ),
        ],
    ];
    return (
        <Card title={t("bench.machine")}>
            <dl class={css.machine}>
                {rows
                    .filter(([, value]) => Boolean(value))
                    .map(([name, value]) => (
                        <div key={name}>
                            <dt>{name}</dt>
                            <dd>{value}</dd>
                        </div>
                    ))}
            </dl>
        </Card>
    );
}

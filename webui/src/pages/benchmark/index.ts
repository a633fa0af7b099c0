import { addWords } from "../../i18n/dictionary";
import { benchmark } from "../../i18n/words/benchmark";
import { benchReport } from "../../i18n/words/benchReport";

addWords(benchmark);
addWords(benchReport);

export { BenchmarkPage as default } from "./BenchmarkPage";

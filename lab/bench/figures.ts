// What the benchmark measures, the statistics of it, and the one table in which every figure stands beside its peers.

export interface Figure {
  readonly what: string;
  readonly value: number;
  /** The interval of 95 % within this run. */
  readonly low?: number;
  readonly high?: number;
  readonly unit: "×" | " kB" | " MB" | "";
  /** What this takes at most, or reaches at least where more is better. */
  readonly limit?: number;
  readonly isMoreBetter?: boolean;
  /** The same figure of others. */
  readonly peers?: Readonly<Record<string, number>>;
  /** Why a peer may be ahead. */
  readonly why?: string;
}

/** The median, with its interval of 95 %. */
export function medianOf(values: readonly number[]): { value: number; low: number; high: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const reach = 0.98 * Math.sqrt(sorted.length);
  const at = (rank: number): number => sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(rank)))] ?? Number.NaN;
  return { value: at(middle), low: at(middle - reach), high: at(middle + reach) };
}

/** The median of the ratios of each round: other load slows both turns of a round alike. */
export const pairedRatio = (ones: readonly number[], others: readonly number[]) =>
  medianOf(ones.map((one, round) => one / (others[round] ?? Number.NaN)));

const digitsOf = ({ unit }: Figure): number => (unit === "×" ? 2 : unit === "" ? 0 : 1);
const shown = (figure: Figure, value: number): string => `${value.toFixed(digitsOf(figure))}${figure.unit}`;

/** What is wrong with a figure: it misses its limit, or is behind a peer without a reason. */
export function problemsOf(figure: Figure): string[] {
  const { what, value, limit, peers = {}, isMoreBetter = false, why } = figure;
  const rounded = (one: number): number => Number(one.toFixed(digitsOf(figure)));
  const isBetter = (one: number, other: number): boolean =>
    isMoreBetter ? rounded(one) > rounded(other) : rounded(one) < rounded(other);
  const ahead = Object.keys(peers).filter((name) => isBetter(peers[name] ?? value, value));
  return [
    ...(limit !== undefined && isBetter(limit, value) ? [`${what}: ${shown(figure, value)} misses ${limit}`] : []),
    ...(ahead.length > 0 && why === undefined ? [`${what}: behind ${ahead.join(", ")}, without a reason`] : []),
  ];
}

/** The table of all figures, by part. */
export function tableOf(parts: Readonly<Record<string, readonly Figure[]>>): string {
  const rows = Object.entries(parts).flatMap(([title, figures]) => [
    [`**${title}**`, "", "", ""],
    ...figures.map((figure) => {
      const { what, value, low, high, limit, peers = {}, isMoreBetter, why } = figure;
      const range = low === undefined || high === undefined ? "" : ` (${low.toFixed(2)} to ${high.toFixed(2)})`;
      const others = Object.entries(peers).map(([name, other]) => `${name} ${shown(figure, other)}`);
      const wanted = limit === undefined ? "" : `${isMoreBetter ? "≥" : "≤"} ${limit}${figure.unit}`;
      return [what, `${shown(figure, value)}${range}`, [...others, ...(why ? [why] : [])].join(", "), wanted];
    }),
  ]);
  const lines = [["Figure", "Measured", "Others", "Wanted"], ["---", "---", "---", "---"], ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

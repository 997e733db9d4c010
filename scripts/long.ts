/** Whether checks run in their long forms, as each night. The gate runs the short ones, and each says what it leaves out. */
export const isLong = process.env.CHECKS === "long";

/** Prints what a short form leaves out. */
export function leftOut(what: string): void {
  console.log(`Left to the long form, with CHECKS=long: ${what}.`);
}

/** Every item in the long form. In the short form every `share`-th, and prints how many `what` are left out. */
export function inShort<T>(items: readonly T[], share: number, what: string): readonly T[] {
  const chosen = isLong ? items : items.filter((_, index) => index % share === 0);
  if (chosen.length < items.length) leftOut(`${items.length - chosen.length} ${what}`);
  return chosen;
}

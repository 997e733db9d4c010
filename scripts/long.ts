/** Whether checks run in their long forms, as each night. The gate runs the short ones, and each says what it leaves out. */
export const isLong = process.env.CHECKS === "long";

/** Prints what a short form leaves out. */
export function leftOut(what: string): void {
  console.log(`Left to the long form, with CHECKS=long: ${what}.`);
}

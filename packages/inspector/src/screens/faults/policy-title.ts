/** The name of a policy as people write it: `Missed call limit` for `missedCallLimit`. */
export function policyTitle(name: string): string {
  const words = name
    .replace(/Secs$/, "")
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A phone number in E.164 anywhere in a text, also with its plus sign percent-encoded. */
const phoneNumber = /(\+|%2b)([1-9]\d{6,14})(?!\d)/gi;

/**
 * Masks the phone numbers in a text, such as `+1415*****67`: of each, at most the first four digits and the last two stay.
 * The SDK, which imports no package, has a copy; tests/repository/masked-numbers.test.ts compares the two.
 */
export const maskNumbers = (text: string): string =>
  text.replace(phoneNumber, (_, plus: string, digits: string) => {
    const shown = Math.min(4, digits.length - 6);
    return `${plus}${digits.slice(0, shown)}${"*".repeat(digits.length - shown - 2)}${digits.slice(-2)}`;
  });

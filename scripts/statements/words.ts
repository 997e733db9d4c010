// The words that decide what a sentence states. Another word in the place of one makes another fact.

const listOf = (text: string): string[] => text.trim().split(/\s+/);

/** Numbers, units and comparisons. */
const quantities = `
  two three four five six seven eight nine ten once twice half third daily
  millisecond second minute hour day week month year byte kib mib gib utf iso character digit am pm utc unix midnight noon
  most least more less fewer greater lower longer shorter sooner larger smaller maximum minimum
  exactly inclusive exclusive default within between`;

/** Orders, times and directions. */
const directions = `
  first last newest oldest latest earliest next previous early late new old
  before after until since later earlier now past current present
  above below inside outside beyond over under low high large long short enough from`;

/** Who, how many, whether, and what is done or not. */
const conditions = `
  every each all any some none nothing only both either neither always never another other additional together instead
  no not cannot without lacks missing except unless apart but whole part
  must may can could need needed required optional forbid allowed permitted permit define
  accept accepted declined rejected refuse refused
  same equal equals different unique own
  valid invalid enabled disabled active inactive verified published draft open closed full empty available unavailable
  already still again accessible malformed wrong pending suspended completed connected registered used revoked weak
  owner admin member agent caller account platform organization user person people recipient customer contact provider
  receiver server client jwt key token secret signature body header page queue receive-only list to on off
  raw parsed lower-case upper-case placing placed received sent returned shown removed rotated changed created deleted
  queued offered answer ring ends starts expired expiry resets reset do-not-call wait modified
  conflicts exists unknown known failed fail true false null front
  per local time timestamp keep kept remove replace void carries carry match missed lost extra run runs grant grants
  sign busy away selected account-scoped api-key phone app destination operation
  failing paused linked unlinked mapped claimed redeemed redeem resolved configured reached exhausted eligible generated
  authenticated served ignored asked supported unsupported depend keeps gets tell apart identifies
  json string number integer boolean text uuid iana e164 semantic standard scope role credential signing`;

const digits = listOf("zero one two three four five six seven eight nine ten");

/** A word in one form: lower case, without the plural or genitive, a number in digits. */
function formOf(word: string): string {
  const plain = word.toLowerCase().replace(/'s?$/, "");
  const digit = digits.indexOf(plain);
  return digit > 1 ? String(digit) : plain.replace(/(?<=\w{3})(?<!s|u|way)s$/, "");
}

const formsOf = (...lists: string[]): ReadonlySet<string> => new Set(lists.flatMap(listOf).map(formOf));
const quantifying = formsOf(quantities);
const measuring = formsOf(quantities, directions);
const telling = formsOf(quantities, directions, conditions);

const isNumber = (word: string): boolean => /^\d/.test(word);
/** Whether a word is a name in code, or a limit of the contract such as `$maximum`. */
const isCode = (word: string): boolean => /^[`$]/.test(word);

/** Names in code, limits, and the words of a text in one form. Citations such as §4.2 and A-5 are left out. */
const wordsIn = (text: string): string[] =>
  (
    text.replaceAll(/§\d+(?:\.\d+)*|\bA-\d+/g, " ").match(/`[^`]+`|\$\w+|\d+(?:\.\d+)*|[A-Za-z](?:['-]?[A-Za-z])*/g) ??
    []
  ).map((word) => (isCode(word) ? word : formOf(word)));

/** The words of a text that decide what it states, in its order. */
export const tellingWords = (text: string): string[] =>
  wordsIn(text).filter((word) => isCode(word) || isNumber(word) || telling.has(word));

/** Its numbers, units and comparisons. */
export const quantitiesIn = (text: string): string[] =>
  wordsIn(text).filter((word) => isNumber(word) || word.startsWith("$") || quantifying.has(word));

/** Whether a word is a number, a unit, an order or a direction, which a source must contain. */
export const isMeasure = (word: string): boolean => isNumber(word) || measuring.has(word);

/** Every word of a source, also those that names in code such as `totalTimeoutSecs` consist of. */
export const everyWordIn = (text: string): ReadonlySet<string> =>
  new Set(
    [/\d+(?:\.\d+)*|[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g, /[A-Za-z]+/g].flatMap((form) => text.match(form) ?? []).map(formOf),
  );

import type { CaseName } from "../src/suite/target.ts";

/** Cases that end otherwise on a target with Prism in it, and why. Each of them must still do so. */
interface Deviation {
  readonly noun: string;
  /** The names of the cases. */
  readonly names: RegExp;
  readonly why: string;
}

const brokenJson = "Prism never answers a body that claims to be JSON and is none";

/** Where Prism alone, as a mock of the document, behaves unlike the platform; the first that fits is the reason. */
const mock: readonly Deviation[] = [
  { noun: "errors", names: / with malformed JSON /, why: brokenJson },
  {
    noun: "errors",
    names: / with (?:an empty body|another content type|JSON that says it is text|more than 1 MiB) /,
    why: "Prism answers every bad body alike: with the first example of the first of the statuses 415, 422 and 400",
  },
  {
    noun: "errors",
    names: / with another method |^an unknown path /,
    why: "where no operation fits, Prism answers in words of its own",
  },
  { noun: "errors", names: /a name of its own$/, why: "every answer carries the example of X-Request-Id" },
  {
    noun: "negatives",
    names: / refuses \w+ \(path\): id, /,
    why: "the document leaves the form of ids open (A-6), and Prism knows no more than the document",
  },
  {
    noun: "negatives",
    names: /^listCalls refuses .* ""$/,
    why: "Prism takes a parameter without a value for one that is left out",
  },
  {
    noun: "negatives",
    names: /^listCalls accepts (?:limit|offset) .* missing$/,
    why: "one example is the answer to every page",
  },
  {
    noun: "negatives",
    names: /^createCall refuses /,
    why: "where a 422 is documented, Prism prefers it to the 400",
  },
  {
    noun: "negatives",
    names: /^(?:createDestinationGroup|listCalls) refuses (?!\(body\)|name: required|name: null)/,
    why: "the answer to bad fields is an example, which names other fields",
  },
  { noun: "roles", names: /holds every built-in role/, why: "the example shows two of the roles" },
];

/** Where Prism in front of the mock server stands between it and the suite. */
const proxy: readonly Deviation[] = [
  { noun: "errors", names: / with malformed JSON /, why: brokenJson },
  { noun: "order of checks", names: /broken JSON/, why: brokenJson },
  {
    noun: "broken answers",
    names: / after (?:truncate|slowBody) .* ends as applied$/,
    why: "Prism forwards whole answers only, so that the client cannot know from a part that it was carried out",
  },
];

/** Cases in which the mock server is told to break the contract, so that Prism must object. */
const broken: readonly Deviation[] = [
  {
    noun: "errors",
    names: /^an error that is no JSON /,
    why: "the answer is a proxy's page, which no status documents",
  },
  { noun: "retries", names: / after a 408 without a body /, why: "a 408 of a proxy has no body" },
  { noun: "retries", names: / after a proxy's 502 /, why: "a proxy's page is no JSON" },
  {
    noun: "broken answers",
    names: /^(?!deleteMemberHours).* after wrongContentType /,
    why: "the body of a success is said to be HTML",
  },
  {
    noun: "broken answers",
    names: /^(?:rotate|createDestinationGroup|get|listRoles).* after unknownEnum /,
    why: "a field has a value of a later version",
  },
];

/** Cases with requests that Prism leaves without an answer, so that waiting for one is no use. */
const unanswered: readonly Deviation[] = [
  { noun: "errors", names: / with malformed JSON /, why: brokenJson },
  { noun: "order of checks", names: /broken JSON/, why: brokenJson },
  {
    noun: "broken answers",
    names: / after truncate /,
    why: "Prism never answers when a body that it forwards breaks off",
  },
];

/** The lists: of the targets by their names, of what Prism objects to rightly, and of what it does not answer. */
export const deviations = { prism: mock, "prism-proxy": proxy, broken, unanswered };

/** Why a list holds a case; undefined when it does not. */
export const reasonFor = (list: keyof typeof deviations, { noun, name }: CaseName): string | undefined =>
  deviations[list].find((deviation) => deviation.noun === noun && deviation.names.test(name))?.why;

const answerWithinMs = 30_000;
const notAnsweredWithinMs = 300;

/** The global fetch, which does not wait where Prism is known to leave requests without an answer. */
export function patientFetch(contractCase: CaseName): typeof globalThis.fetch {
  const withinMs = reasonFor("unanswered", contractCase) === undefined ? answerWithinMs : notAnsweredWithinMs;
  return (input, init) => {
    const request = new Request(input, init);
    return fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(withinMs)]) });
  };
}

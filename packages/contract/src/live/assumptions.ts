/** One place where the specification is silent. */
export interface Assumption {
  /** What is not shown, in the words of docs/assumptions.md. */
  readonly about: string;
  /** Why a run that met nothing of it did not. */
  readonly unmet: string;
}

/** Every row of docs/assumptions.md. */
export const assumptions: Readonly<Record<string, Assumption>> = {
  "A-1": {
    about: "The fields of a destination's `config`",
    unmet: "only a rotation shows a config: --allow-changes --destination --secret-file",
  },
  "A-2": {
    about: "Further fields of an error's `meta`",
    unmet: "no error came with a meta",
  },
  "A-3": {
    about: "Titles, details and most meanings of error codes",
    unmet: "no error came",
  },
  "A-4": {
    about: "Which codes carry `errors`",
    unmet: "no error came",
  },
  "A-5": {
    about: "Errors of an operation beyond those listed for it",
    unmet: "no code came beyond the lists of the operations",
  },
  "A-6": {
    about: "The form of ids",
    unmet: "no malformed id was sent",
  },
  "A-7": {
    about: "Whether lists of response values are complete",
    unmet: "no success came",
  },
  "A-8": {
    about: "What else a call placement takes and answers, and what else a listed call holds",
    unmet: "no call was listed, and placing one needs --allow-calls",
  },
  "A-9": {
    about: "Bounds and order of the call list",
    unmet: "the call list could not be read",
  },
  "A-10": {
    about: "The account list",
    unmet: "the account list could not be read",
  },
  "A-11": {
    about: "Which forms of ISO 8601 are used",
    unmet: "no answer held a time",
  },
  "A-12": {
    about: "Length of a secret's hint, form of the secret",
    unmet: "only a rotation shows a hint: --allow-changes --destination --secret-file",
  },
  "A-13": {
    about: "Unknown fields in a request",
    unmet: "the call list could not be read",
  },
  "A-14": {
    about: "Names of scopes and permissions",
    unmet: "the role list could not be read",
  },
  "A-15": {
    about: "Who may read availability, place calls and list calls",
    unmet: "one credential shows only its own rights, and no --member was given",
  },
  "A-16": {
    about: "The code of each per-endpoint case",
    unmet: "no request met such a case",
  },
  "A-17": {
    about: "Who an API key is",
    unmet: "no API key was given",
  },
  "A-18": {
    about: "The order of checks",
    unmet: "no wrong request was answered",
  },
  "A-19": {
    about: "How long an access token lives",
    unmet: "no access token was given, or it is no JWT with iat and exp",
  },
  "A-33": {
    about: "Where a caller's IP address comes from",
    unmet: "takes a key that is bound to another address",
  },
  "A-42": {
    about: "What the two general refusals mean",
    unmet: "no other scheme was sent",
  },
  "A-20": {
    about: "How a failing field is named, and which field code says what",
    unmet: "no invalid field was sent",
  },
  "A-21": {
    about: "What exactly counts as a phone number",
    unmet: "a server with another rule would call the number that it should refuse",
  },
  "A-22": {
    about: "Unknown, foreign and repeated destinations in a group; how names compare",
    unmet: "needs groups to be created: --allow-changes --group-destination",
  },
  "A-23": {
    about: "A member's ring time when it is omitted or longer than the group's",
    unmet: "needs a group to be created: --allow-changes --group-destination",
  },
  "A-24": {
    about: "What holds at the very instant of a limit",
    unmet: "the server's time cannot be moved to such an instant",
  },
  "A-25": {
    about: "How long calls last, how the queue moves",
    unmet: "no call was queued: it takes as many calls as the account may have at once",
  },
  "A-26": {
    about: "Removing hours that are not set",
    unmet: "needs hours to be removed: --allow-changes --hours-member",
  },
  "A-34": {
    about: "A second rotation within the overlap",
    unmet: "a second rotation would void the secret that the receiver may still hold",
  },
  "A-35": {
    about: "How many missed calls change a status, and for how long",
    unmet: "nobody is rung: calls would have to be missed",
  },
  "A-36": {
    about: "Whether a disabled destination rings",
    unmet: "nobody is rung: a call would have to be transferred",
  },
  "A-43": {
    about: "The form of a member's hours, and whose time zone they are in",
    unmet: "no documented operation shows hours",
  },
  "A-44": {
    about: "Who of several is the first to answer, and what each late answer gets",
    unmet: "nobody is rung: several members would have to answer",
  },
  "A-37": {
    about: "Whose time zone the callable hours use",
    unmet: "would take a call to somebody for whom it is night",
  },
  "A-38": {
    about: "Numbers of the rate, concurrency, daily and queue limits",
    unmet: "no limit was met, and none is tried on purpose",
  },
  "A-39": {
    about: "Whether the call list is up to date",
    unmet: "needs a call to be placed: --allow-calls",
  },
  "A-40": {
    about: "In which form a wait is told",
    unmet: "no rate limit was met, and none is tried on purpose",
  },
  "A-41": {
    about: "How deprecation is announced",
    unmet: "no operation was announced as deprecated",
  },
  "A-30": {
    about: "The payload of `transfer.offer`, and other kinds of event",
    unmet: "offers go to the receiver of a destination, not to this command",
  },
  "A-31": {
    about: "The signature's algorithm and the signed string",
    unmet: "offers go to the receiver of a destination, not to this command",
  },
  "A-32": {
    about: "Attempts, timeout and acceptance of a delivery",
    unmet: "offers go to the receiver of a destination, not to this command",
  },
  "A-27": {
    about: "The statuses of the six transfer-offer codes",
    unmet: "no documented operation answers these codes",
  },
  "A-28": {
    about: "Which 503 codes leave nothing behind",
    unmet: "a server cannot be asked to be unavailable",
  },
  "A-29": {
    about: "How the remaining codes come about",
    unmet: "a server cannot be asked to fail",
  },
};

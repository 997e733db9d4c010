/** One place where the specification is silent. */
export interface Assumption {
  /** The open question, word for word as in docs/assumptions.md. */
  readonly about: string;
  /** Why a run may observe nothing of it. */
  readonly unmet: string;
}

/** Every row of docs/assumptions.md. */
export const assumptions: Readonly<Record<string, Assumption>> = {
  "A-1": {
    about: "The fields of a destination's `config`",
    unmet: "only a rotation shows a config: --allow-changes --destination --secret-file",
  },
  "A-2": {
    about: "Other fields of an error's `meta`",
    unmet: "no error carried a meta",
  },
  "A-3": {
    about: "Titles and details of errors, and most meanings of error codes",
    unmet: "no error was returned",
  },
  "A-4": {
    about: "Which codes carry `errors`",
    unmet: "no error was returned",
  },
  "A-5": {
    about: "Errors of an operation beyond those listed for it",
    unmet: "no code outside the operations' lists was returned",
  },
  "A-6": {
    about: "The format of ids",
    unmet: "no malformed id was sent",
  },
  "A-7": {
    about: "Whether lists of response values are complete",
    unmet: "no request succeeded",
  },
  "A-8": {
    about: "Other fields of a call placement, of its response and of a listed call",
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
    unmet: "no response held a time",
  },
  "A-12": {
    about: "The length of a secret's hint and the format of the secret",
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
    unmet: "one credential shows only its own permissions, and --member is missing",
  },
  "A-16": {
    about: "The code of each per-endpoint case",
    unmet: "no request led to such a case",
  },
  "A-17": {
    about: "The identity of an API key",
    unmet: "no API key was given",
  },
  "A-18": {
    about: "The order of checks",
    unmet: "no invalid request got a response",
  },
  "A-45": {
    about: "The response to unknown paths and to other methods",
    unmet: "no unknown path got a response",
  },
  "A-19": {
    about: "The lifetime of an access token",
    unmet: "no access token was given, or it is not a JWT with iat and exp",
  },
  "A-33": {
    about: "The source of a caller's IP address",
    unmet: "needs a key that is bound to another address",
  },
  "A-42": {
    about: "The meaning of the two general refusals",
    unmet: "no other authorization scheme was sent",
  },
  "A-50": {
    about: "The headers of a response with status 401",
    unmet: "no request got status 401",
  },
  "A-51": {
    about: "Whether a cache may keep a response that shows a secret",
    unmet: "only a rotation shows a secret: --allow-changes --destination --secret-file",
  },
  "A-20": {
    about: "How a failing field is named, and which field code means what",
    unmet: "no invalid field was sent",
  },
  "A-21": {
    about: "The exact format of a phone number",
    unmet: "a server with another rule would call the number instead of rejecting it",
  },
  "A-22": {
    about: "Unknown, foreign and repeated destinations in a group; how names compare",
    unmet: "needs permission to create groups: --allow-changes --group-destination",
  },
  "A-23": {
    about: "A member's ring time when it is omitted or longer than the group's",
    unmet: "needs permission to create a group: --allow-changes --group-destination",
  },
  "A-46": {
    about: "Requests that cannot be read",
    unmet: "a server with another rule would carry the request out instead of rejecting it",
  },
  "A-47": {
    about: "The response to a call that names what the account does not have",
    unmet: "a server with another rule would call the number instead of rejecting it",
  },
  "A-48": {
    about: "The order of the rules for a call",
    unmet: "a server with another rule would call the number instead of rejecting it",
  },
  "A-24": {
    about: "The state at the exact instant of a time limit",
    unmet: "the server's time cannot be moved to such an instant",
  },
  "A-25": {
    about: "How long calls last and how the queue moves",
    unmet: "no call was queued: that needs as many calls as the account may have at once",
  },
  "A-49": {
    about: "Whether the rules for a call apply again when it leaves the queue",
    unmet: "no call was queued: that needs as many calls as the account may have at once",
  },
  "A-26": {
    about: "Removing hours that are not set",
    unmet: "needs permission to remove hours: --allow-changes --hours-member",
  },
  "A-34": {
    about: "A second rotation within the overlap",
    unmet: "a second rotation would void the secret that the receiver may still hold",
  },
  "A-35": {
    about: "How many missed calls change a status, and for how long",
    unmet: "no member was called: calls would have to be missed",
  },
  "A-36": {
    about: "Whether a disabled destination rings",
    unmet: "no member was called: a call would have to be transferred",
  },
  "A-43": {
    about: "The format of a member's hours and their time zone",
    unmet: "no documented operation shows hours",
  },
  "A-44": {
    about: "Which of several answers comes first, and the response to each late answer",
    unmet: "no member was called: several members would have to answer",
  },
  "A-37": {
    about: "The time zone of the callable hours",
    unmet: "needs a call to a person at night",
  },
  "A-38": {
    about: "The numbers of the rate, concurrency, daily and queue limits",
    unmet: "no limit was reached, and the run does not try to reach one",
  },
  "A-39": {
    about: "Whether the call list is up to date",
    unmet: "needs permission to place a call: --allow-calls",
  },
  "A-40": {
    about: "Where a response states the wait",
    unmet: "no rate limit was reached, and the run does not try to reach one",
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
    about: "Which 503 codes guarantee that the request had no effect",
    unmet: "the run cannot make a server unavailable",
  },
  "A-29": {
    about: "How the remaining codes occur",
    unmet: "the run cannot make a server fail",
  },
};

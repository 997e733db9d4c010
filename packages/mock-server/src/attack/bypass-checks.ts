// Forgeries on ways that may lead around the verification.
import type { About, Check, Lab } from "./check.ts";
import { check } from "./check.ts";
import { deliver } from "./deliver.ts";
import { type Forgery, forgeries, forgeryFindings, sendForgeries, wrongSignature } from "./forgeries.ts";
import { isAccepted, type Offer, type Sending } from "./sender.ts";

const everyPost = "Verify every POST to this address before anything looks at it, whatever its headers or fields say.";
const onlyPost = "Answer only POST. Answer 405 to other methods, and ignore headers and fields that name another one.";

/** Markup that must not come back as part of a page. */
export const markup = "<script>attack()</script>";

/** Ways of sending, each with a wrong signature. */
const ways = (about: About, of: readonly (readonly [what: string, sending: Sending])[]): Check =>
  forgeries(about, (lab) =>
    of.map(([what, sending]) => {
      const offer = lab.sender.offer();
      return { what, offer, sending: { signature: wrongSignature(lab, offer), ...sending } };
    }),
  );

/** Contents of events, each with a wrong signature. */
const events = (about: About, of: readonly (readonly [what: string, fields: object])[]): Check =>
  forgeries(about, (lab) =>
    of.map(([what, fields]) => {
      const offer = lab.sender.offer(undefined, fields);
      return { what, offer, sending: { signature: wrongSignature(lab, offer) } };
    }),
  );

/** Genuine offers by other methods. A server may say that it does not implement one. */
const methods = (name: string, of: readonly (readonly [what: string, sending: Sending])[]): Check =>
  check("forged", [name, "§6", onlyPost, "low"], async (lab) => {
    const made = of.map(([what, sending]) => ({ what, offer: lab.sender.offer(), sending }));
    return forgeryFindings((await sendForgeries(lab, made)).filter(([, { status }]) => status !== 501));
  });

const types = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/cloudevents+json",
  "application/json; charset=utf-16",
];

const local = ["X-Forwarded-For", "X-Real-IP", "True-Client-IP"];

const override = (headers: Readonly<Record<string, string>>): Sending => ({ method: "GET", headers });

/** Secrets that a look-up without a result may lead to. */
const noSecrets = ["", "undefined", "null"];

const destinations: readonly (readonly [what: string, fields: (lab: Lab) => object])[] = [
  ["an unknown destination", ({ sender }) => ({ destinationId: sender.id() })],
  ["no destination", () => ({ destinationId: undefined })],
  ["the destination __proto__", () => ({ destinationId: "__proto__" })],
];

function otherDestinations(lab: Lab): Forgery[] {
  return destinations.flatMap(([what, fields]) => {
    const unsigned = lab.sender.offer(undefined, fields(lab));
    const signed = noSecrets.map((secret) => {
      const offer = lab.sender.offer(undefined, fields(lab));
      const sending = { signature: lab.sender.sign(offer.body, { secrets: [secret] }) };
      return { what: `${what}, signed with ${JSON.stringify(secret)}`, offer, sending };
    });
    return [{ what: `${what}, unsigned`, offer: unsigned, sending: { signature: null } }, ...signed];
  });
}

/** Other addresses that may lead to the same code. */
function pathsOf(url: string): readonly (readonly [what: string, url: string])[] {
  const { origin, pathname, search } = new URL(url);
  const at = (path: string) => origin + path + search;
  const bare = pathname.replace(/\/+$/, "");
  const last = bare.slice(-1);
  return [
    ["with a field in the query", `${origin}${pathname}${search}${search === "" ? "?" : "&"}verify=false`],
    ["with two slashes in front", at(`/${pathname}`)],
    ["with a slash at the end", at(`${bare}/`)],
    ["in capitals", at(pathname.toUpperCase())],
    ["with an encoded letter", at(`${bare.slice(0, -1)}${last && `%${last.charCodeAt(0).toString(16)}`}`)],
  ].filter(([, other]) => other !== url) as [string, string][];
}

/** Whether the server answers 2xx to whatever address gets a forgery: then other addresses say nothing. */
async function acceptsAnyPath(lab: Lab, url: string, offer: Offer): Promise<boolean> {
  const other = new URL(`/${lab.sender.id()}`, url).href;
  const message = lab.sender.message(offer, { signature: null });
  const reply = await deliver(other, message, lab.sender.options.timeoutMs);
  lab.sender.record(message, reply, other);
  return isAccepted(reply);
}

export const bypassChecks: readonly Check[] = [
  methods("a GET request with a genuine signature", [["GET", { method: "GET" }]]),
  methods("other methods with a genuine signature", [
    ["PUT", { method: "PUT" }],
    ["PATCH", { method: "PATCH" }],
    ["DELETE", { method: "DELETE" }],
  ]),
  methods("a GET request that claims to be a POST", [
    ["X-HTTP-Method-Override", override({ "x-http-method-override": "POST" })],
    ["X-Method-Override", override({ "x-method-override": "POST" })],
    ["X-HTTP-Method", override({ "x-http-method": "POST" })],
  ]),
  forgeries(["a forgery in chunks", "§6", everyPost], (lab) =>
    [true, false].map((isSigned) => {
      const offer = lab.sender.offer();
      const parts = [Buffer.from(offer.body.slice(0, 40)), Buffer.from(offer.body.slice(40))];
      const signature = isSigned ? wrongSignature(lab, offer) : null;
      return { what: isSigned ? "with a wrong signature" : "unsigned", offer, sending: { parts, signature } };
    }),
  ),
  ways(
    ["a forgery of another content type", "§6", everyPost],
    [
      ...types.map((contentType) => [contentType, { contentType }] as const),
      ["none", { contentType: null }] as const,
      ["a content encoding", { headers: { "content-encoding": "identity" } }] as const,
    ],
  ),
  ways(
    ["a forgery that claims to come from inside", "§6", everyPost],
    local.map((name) => [name, { signature: null, headers: { [name]: "127.0.0.1" } }] as const),
  ),
  events(
    ["a forgery of another event type", "A-30", everyPost],
    [
      ...["transfer.attack_test", "ping", "webhook.test"].map((type) => [type, { type }] as const),
      ["url_verification", { type: "url_verification", challenge: "attack" }] as const,
      ["no type", { type: undefined }] as const,
      ["a test event", { test: true, livemode: false }] as const,
    ],
  ),
  events(["a forgery with markup", "§6", everyPost], [["as the type", { type: markup, note: markup }]]),
  forgeries(
    [
      "a forgery for another destination",
      "§6.3",
      "Refuse an event for which there is no secret. Compute no signature without one.",
    ],
    otherDestinations,
  ),
  check(
    "forged",
    ["an unsigned offer at another form of the path", "§6", "Verify in the handler itself, not for one exact path."],
    async (lab) => {
      const url = lab.sender.nextUrl();
      const anywhere = await acceptsAnyPath(lab, url, lab.sender.offer());
      const made = pathsOf(url).map(([what, other]) => {
        return { what, offer: lab.sender.offer(), sending: { url: other, signature: null } };
      });
      const answered = await sendForgeries(lab, made);
      // Only what answers differently from any other address is the receiver.
      return anywhere ? [] : forgeryFindings(answered.filter(([, reply]) => isAccepted(reply)));
    },
  ),
];

// Edits of the contract in contract.fixture.ts, each with the bump that it needs.
import { parse } from "yaml";
import type { JsonObject } from "../../scripts/release/json.ts";
import { contract } from "./contract.fixture.ts";

/**
 * `bump | what | edits | words of the change`. An edit is `place = value`, in YAML, or `place -` where it is taken away;
 * ` ; ` stands between several. A place is names and indexes, of which the first may be one of `places`.
 */
export const verdicts = rowsOf(`
# Operations
minor | an added operation | paths /groups delete = { operationId: dropGroup, security: [], responses: { "204": { description: Gone. } } } | dropGroup: the operation DELETE /groups was added
major | a removed operation | list - | listGroups: the operation GET /groups was removed
major | a renamed operation | list operationId = findGroups | listGroups: was renamed to findGroups
major | a renamed SDK method | create x-sdk method = add | createGroup: x-sdk
patch | a reworded summary | list summary = Lists groups | listGroups: summary was reworded
major | a new mark that has no rule | list x-colour = red | x-colour nothing is now "red"
minor | a role that may call it too | create x-roles = [ owner, admin, agent ] | the role agent was added
major | a role that may no longer call it | create x-roles = [ owner ] | the role admin was removed
major | another scope | create x-scope = people:write | createGroup: x-scope
minor | an error code it may answer | create x-error-codes 2 = name_odd | the error code name_odd was added
major | an error code it no longer answers | create x-error-codes = [ name_kept ] | the error code name_lost was removed
major | a retry class that promises more | create x-idempotency = idempotent | createGroup: x-idempotency
major | a retry class that promises less | create x-idempotency = non_idempotent | createGroup: x-idempotency
major | paging taken away | list x-pagination - | listGroups: x-pagination
# Access
major | access that is no longer granted | list security 1 - | access by {"key":[]} was removed
minor | access that is granted too | create security = [ { bearer: [] }, { key: [] } ] | access by {"key":[]} was added
major | a credential where none was needed | paths /health get security = [ { bearer: [] } ] | health: now needs a credential
major | another kind of credential | components securitySchemes bearer scheme = basic | security scheme bearer
# Parameters
minor | an optional parameter | list parameters 2 = { name: state, in: query, schema: { type: string } } | query parameter state: was added
major | a required parameter | list parameters 2 = { name: state, in: query, required: true, schema: { type: string } } | was added and is required
major | a removed parameter | list parameters 0 - | query parameter limit: was removed
major | a parameter that becomes required | list parameters 0 required = true | query parameter limit: is now required
minor | a parameter that becomes optional | list parameters 1 required = false | query parameter since: is now optional
major | a shared header that becomes required | components parameters Account required = true | header parameter x-account: is now required
major | a parameter's limit tightened | list parameters 0 schema maximum = 50 | tightened: maximum 100 is now 50
major | a parameter's default changed | list parameters 0 schema default = 10 | default 20 is now 10
major | a parameter's style changed | list parameters 0 style = deepObject | style nothing is now
major | a mark for deprecation on a path | paths /groups deprecated = true | /groups: deprecated nothing is now true
# Links
major | a link that is gone | create responses 201 links - | createGroup 201 link all: was removed
# What customers send
minor | an optional request field | request colour = { type: string } | GroupRequest.colour: an optional field was added (sent to createGroup)
major | a required request field | request colour = { type: string } ; schema GroupRequest required 1 = colour | GroupRequest.colour: a required field was added
major | optional to required in a request | schema GroupRequest required 1 = note | GroupRequest.note: is now required
minor | required to optional in a request | schema GroupRequest required = [] | GroupRequest.name: is now optional
major | a removed request field | request note - | GroupRequest.note: the field was removed
major | a renamed request field | request note - ; request remark = { type: [ string, "null" ] } | GroupRequest.note: the field was removed
major | nullable dropped in a request | request note type = string | GroupRequest.note: tightened: type
minor | nullable added in a request | request name type = [ string, "null" ] | GroupRequest.name: loosened: type
major | an upper limit tightened in a request | request name maxLength = 80 | tightened: maxLength 100 is now 80
minor | a limit loosened in a request | request size maximum = 90 | loosened: maximum 60 is now 90
major | a limit where none was | request phone maxLength = 16 | tightened: maxLength none is now 16
major | a coarser step | request step multipleOf = 10 | tightened: multipleOf 5 is now 10
major | a default changed | request size default = 20 | default 30 is now 20
minor | a default where none was | request ring default = apart | default none is now apart
minor | an enum value added in a request | request ring enum 2 = never | value "never" was added
major | an enum value removed in a request | request ring enum = [ apart ] | value "together" was removed
major | text narrowed to listed values | request phone enum = [ "+1", "+2" ] | tightened: enum none is now
major | another pattern | request phone pattern = "^[0-9]+$" | GroupRequest.phone: pattern
major | text that must be a number | request note type = [ number, "null" ] | type ["string","null"] is now ["number","null"]
major | a limit on a list's items | request tags items maxLength = 10 | GroupRequest.tags[]: tightened
major | items that must differ | request tags uniqueItems = true | tightened: uniqueItems
major | a required field deep inside | schema Person required 1 = email | Person.email: is now required (sent to createGroup)
major | a field required beside allOf | request owner allOf 1 required = [ email, boss ] | GroupRequest.owner.boss: is now required
minor | an alternative that may be sent too | request target oneOf 2 = { $ref: "#/components/schemas/Member" } | the alternative Member was added
major | an alternative that may no longer be sent | request target oneOf 1 - | GroupRequest.target.type: a required field was added
major | further request fields refused | schema GroupRequest additionalProperties = false | additionalProperties true is now false
minor | further request fields allowed | schema Person additionalProperties = true | Person: additionalProperties false is now true
major | a body where none was | list requestBody = { required: true, content: {} } | listGroups body: was added and is required
major | a keyword without a rule | request name x-shape = round | x-shape none is now round, and there is no rule for it
# What customers receive
minor | an optional response field | group colour = { type: string } | Group.colour: an optional field was added (received from listGroups (200), received from createGroup (201))
minor | a required response field | group colour = { type: string } ; schema Group required 3 = colour | Group.colour: a required field was added
major | a removed response field | group until - | Group.until: the field was removed
major | required to optional in a response | schema Group required = [ id, name ] | Group.size: is now optional
minor | optional to required in a response | schema Group required 3 = until | Group.until: is now required
major | nullable added in a response | group size type = [ integer, "null" ] | Group.size: loosened: type
minor | nullable dropped in a response | group until type = string | Group.until: tightened: type
minor | nullable dropped from a reference | group details = { $ref: "#/components/schemas/Details" } | tightened: type
minor | an enum value added to an open list in a response | group kind enum 2 = beyond | Group.kind: value "beyond" was added
major | an enum value added to a closed list in a response | group state enum 2 = idle | Group.state: value "idle" was added to a closed enum
major | an enum value removed in a response | group kind enum = [ near ] | Group.kind: value "far" was removed
major | an open list that is closed | group kind x-open-enum - | the enum is now closed
major | a closed list that is opened | group state x-open-enum = true | the enum is now open
major | a limit loosened in a response | group size maximum = 90 | Group.size: loosened
major | a format dropped in a response | group until format - | loosened: format date-time is now none
major | an integer that becomes a number in a response | group size type = number | loosened: type integer is now number
major | an alternative that may be received too | group target anyOf 3 = { $ref: "#/components/schemas/Member" } | the alternative Member was added
major | an alternative that no longer comes | group target anyOf = [ { $ref: "#/components/schemas/ToPhone" }, { type: "null" } ] | Group.target: anyOf was removed
major | open fields of a response closed | schema Details additionalProperties = false | Details: additionalProperties
patch | a default named in a response | group size default = 30 | Group.size: default
# Answers
major | a success status added | create responses 202 = { description: Later. } | createGroup 202: the status code was added
minor | an error status added beside a default | create responses 409 = { description: Kept. } | createGroup 409: the status code was added
major | an error status added where no default is | list responses 409 = { description: Kept. } | listGroups 409: the status code was added
major | a status removed | create responses 400 - | createGroup 400: the status code was removed
major | a response header removed | create responses 201 headers X-Request-Id - | header X-Request-Id: was removed
major | a response header no longer sure to come | create responses 201 headers X-Request-Id required = false | header X-Request-Id: is now optional
major | a body that no longer comes | create responses 201 content - | media type application/json was removed
# Webhooks
minor | a webhook's field added | schema GroupChanged properties by = { type: string } ; schema GroupChanged required 1 = by | GroupChanged.by: a required field was added (received from groupChanged)
major | a webhook's field that may be missing | schema GroupChanged required = [] | GroupChanged.type: is now optional
minor | a webhook's header added | changed parameters 1 = { name: Sent-At, in: header, required: true, schema: { type: string } } | header parameter sent-at: was added
major | another signature | changed x-signature toleranceSecs = 60 | groupChanged: x-signature
# Codes and limits
minor | an error code added | code name_new = { status: 409, group: Names } ; schema Problem properties code enum 2 = name_new | error code name_new: was added
major | an error code removed | code name_odd - | error code name_odd: was removed
major | an error code's status changed | code name_lost status = 410 | error code name_lost: status 404 is now 410
minor | an error code's first status | code name_odd status = 400 | error code name_odd: status nothing is now 400
major | an error code that leaves nothing behind | code name_lost effect = none | error code name_lost: effect
major | an error code that may leave something behind | code name_kept effect - | error code name_kept: effect
patch | an error code's meaning reworded | code name_kept meaning = It was kept. | error code name_kept: meaning
minor | a field error code added | x-field-error-table too_short = { meaning: Too short. } | field error code too_short: was added
major | a field error code removed | x-field-error-table too_long - | field error code too_long: was removed
patch | a field error code's meaning reworded | x-field-error-table too_long meaning = It is too long. | field error code too_long: meaning
major | a limit of the document changed | x-limits overlapHours = 12 | limit overlapHours: 24 is now 12
minor | a limit of the document added | x-limits hintLength = 4 | limit hintLength: was added
# Words
patch | a field's description | request name description = Unique per account. | GroupRequest.name: description was reworded
patch | a path's description | paths /groups description = Sets. | /groups: description was reworded
patch | an example | create responses 201 content application/json examples one value = { id: "1" } | createGroup 201: examples was reworded
patch | the document's title | info title = Teams | info: was reworded
major | a server's address | servers 0 url = http://127.0.0.1:2 | server http://127.0.0.1:1: was removed
major | a part of the document without a rule | x-pace = 3 | x-pace: changed, and there is no rule for it
patch | a schema that nothing refers to | schema Unused = { type: string } | a part that no operation refers to changed
`);

/** The same for edits that an unusual state has to come before: `place = before => after`. */
export const turns = rowsOf(`
major | a field beside alternatives that goes | group shape = { type: object, properties: { a: { type: string } }, oneOf: [ { required: [ a ] }, { type: object, minProperties: 2 } ] } => { type: object, oneOf: [ { required: [ a ] }, { type: object, minProperties: 2 } ] } | Group.shape.a: the field was removed
major | a limit beside alternatives | request shape = { maxLength: 9, anyOf: [ { type: string }, { type: number } ] } => { maxLength: 8, anyOf: [ { type: string }, { type: number } ] } | GroupRequest.shape: tightened: maxLength 9 is now 8
major | a discriminator that goes | group shape = { oneOf: [ { type: object }, { type: string } ], discriminator: { propertyName: kind } } => { oneOf: [ { type: object }, { type: string } ] } | Group.shape: discriminator
major | a choice where there was none | request shape = { type: string } => { anyOf: [ { type: string }, { type: number } ] } | GroupRequest.shape: anyOf was added
major | a field demanded that the schema does not describe | request shape = { type: object } => { type: object, required: [ colour ] } | GroupRequest.shape.colour: is now required
# Siblings of allOf
major | a limit added in a sibling of allOf | request shape = { allOf: [ { type: string, maxLength: 9 }, { minLength: 1 } ] } => { allOf: [ { type: string, maxLength: 9 }, { minLength: 1, maxLength: 5 } ] } | GroupRequest.shape: tightened: maxLength 9 is now 5
patch | a limit that another sibling already exceeds | request shape = { allOf: [ { type: string, maxLength: 9 }, { minLength: 1 } ] } => { allOf: [ { type: string, maxLength: 9 }, { minLength: 1, maxLength: 20 } ] } | a part that no operation refers to changed
minor | the tightest sibling loosened | request shape = { allOf: [ { type: string, maxLength: 9 }, { maxLength: 20 } ] } => { allOf: [ { type: string, maxLength: 15 }, { maxLength: 20 } ] } | loosened: maxLength 9 is now 15
patch | keywords moved between siblings of allOf | request shape = { allOf: [ { type: string, maxLength: 9 }, { minLength: 1, pattern: ^a } ] } => { minLength: 1, allOf: [ { type: string }, { maxLength: 9 }, { allOf: [ { pattern: ^a } ] } ] } | a part that no operation refers to changed
major | a limit loosened through allOf in a response | group shape = { allOf: [ { type: string, maxLength: 9 }, { maxLength: 20 } ] } => { allOf: [ { type: string }, { maxLength: 20 } ] } | Group.shape: loosened: maxLength 9 is now 20
major | a limit beside a reference | request shape = { $ref: "#/components/schemas/GroupRequest/properties/name" } => { $ref: "#/components/schemas/GroupRequest/properties/name", maxLength: 50 } | GroupRequest.shape: tightened: maxLength 100 is now 50
patch | a looser limit beside a reference | request shape = { $ref: "#/components/schemas/GroupRequest/properties/name" } => { $ref: "#/components/schemas/GroupRequest/properties/name", maxLength: 500 } | a part that no operation refers to changed
major | a field required beside a reference | request shape = { $ref: "#/components/schemas/Person" } => { $ref: "#/components/schemas/Person", required: [ email ] } | GroupRequest.shape.email: is now required
major | a sibling that refuses the fields of another | request shape = { allOf: [ { properties: { a: { type: string } } }, { properties: { b: { type: string } } } ] } => { allOf: [ { properties: { a: { type: string } } }, { properties: { b: { type: string } }, additionalProperties: false } ] } | GroupRequest.shape: tightened: additionalProperties
major | a list of values closed by a sibling | group shape = { allOf: [ { enum: [ a, b ], x-open-enum: true }, {} ] } => { allOf: [ { enum: [ a, b ], x-open-enum: true }, { enum: [ a, b ] } ] } | there is no rule for it
major | a limit of an alternative beside its reference | request shape = { anyOf: [ { $ref: "#/components/schemas/ToPhone" }, { $ref: "#/components/schemas/ToServer" } ] } => { anyOf: [ { $ref: "#/components/schemas/ToPhone", required: [ number ] }, { $ref: "#/components/schemas/ToServer" } ] } | GroupRequest.shape (ToPhone).number: is now required
major | a choice in a sibling | request shape = { allOf: [ { oneOf: [ { type: string }, { type: number } ] }, {} ] } => { allOf: [ { oneOf: [ { type: string }, { type: number } ] }, { anyOf: [ { maxLength: 1 }, { minimum: 1 } ] } ] } | GroupRequest.shape: anyOf was added
major | alternatives of which only one may fit | request shape = { anyOf: [ { type: string }, { type: number } ] } => { oneOf: [ { type: string }, { type: number } ] } | GroupRequest.shape: oneOf was added
major | a field that no value may have | request shape = { type: object, properties: { a: {} } } => { type: object, properties: { a: false } } | GroupRequest.shape.a: the field was removed
major | a name that may no longer be used | request shape = { type: object } => { type: object, properties: { a: false } } | GroupRequest.shape.a: none is now false
# Other parts
major | servers of one path | paths /groups servers = [ { url: http://127.0.0.1:3 } ] => [ { url: http://127.0.0.1:4 } ] | /groups: servers
`);

export type Row = readonly [bump: string, what: string, edit: string, words: string];

function rowsOf(table: string): Row[] {
  const lines = table.split("\n").filter((line) => line !== "" && !line.startsWith("# "));
  return lines.map((line) => line.split(" | ") as unknown as Row);
}

/** The contract, or another state of it, with some edits. */
export function edited(edits: string, before: JsonObject = contract): JsonObject {
  const places: Readonly<Record<string, string>> = {
    create: "paths /groups post",
    list: "paths /groups get",
    changed: "webhooks group.changed post",
    request: "components schemas GroupRequest properties",
    group: "components schemas Group properties",
    schema: "components schemas",
    code: "x-error-table",
  };
  const copy = structuredClone(before) as Record<string, unknown>;
  for (const edit of edits.split(" ; ")) {
    const [, place = "", value] = /^(.*?)(?: -| = (.*))$/.exec(edit) ?? [];
    const steps = place.replace(/^\S+/, (first) => places[first] ?? first).split(" ");
    const last = steps.pop() ?? "";
    const holder = steps.reduce((node, step) => node[step] as Record<string, unknown>, copy);
    if (value === undefined && !(last in holder)) throw new Error(`nothing stands at ${place}`);
    if (value !== undefined) holder[last] = parse(value) as unknown;
    else if (Array.isArray(holder)) holder.splice(Number(last), 1);
    else delete holder[last];
  }
  return copy;
}

/** The contract before and after an edit that an unusual state has to come before. */
export function turned(edit: string): [before: JsonObject, after: JsonObject] {
  const [before = "", after = ""] = edit.split(" => ");
  return [edited(before), edited(before.replace(/ = .*/, () => ` = ${after}`))];
}

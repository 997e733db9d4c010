// What a change of a package's types means to programs that compile against it.
import ts from "typescript";
import { type Bump, type Change, gathered } from "../change.ts";
import { type Flow, parseSurface, printed, type Surface, turned } from "./declarations.ts";

/** Every change between two surfaces, as `surfacesOf` writes them. What only moved or was reworded in comments is none. */
export function compareSurfaces(before: string, after: string): Change[] {
  const [was, is] = [parseSurface(before), parseSurface(after)];
  const modules = [...new Set([...was.modules.keys(), ...is.modules.keys()])].flatMap((entry) =>
    compareModules(entry, was.modules.get(entry), is.modules.get(entry)),
  );
  const kept = [...was.declarations.keys()].filter((name) => is.declarations.has(name));
  return gathered([...modules, ...kept.flatMap((name) => compareDeclarations(name, was, is))]);
}

const change = (bump: Bump, place: string, words: string): Change => ({ bump, place, words, met: [] });

function compareModules(
  entry: string,
  was: ReadonlySet<string> | undefined,
  is: ReadonlySet<string> | undefined,
): Change[] {
  if (!is) return [change("major", entry, "the entry point was removed")];
  if (!was) return [change("minor", entry, "the entry point was added")];
  return [
    ...[...was]
      .filter((name) => !is.has(name))
      .map((name) => change("major", name, `is no longer exported by ${entry}`)),
    ...[...is].filter((name) => !was.has(name)).map((name) => change("minor", name, `is exported by ${entry}`)),
  ];
}

function compareDeclarations(name: string, was: Surface, is: Surface): Change[] {
  const [old, now] = [was.declarations.get(name) ?? [], is.declarations.get(name) ?? []];
  const texts = [old, now].map((statements) => statements.map(printed).join(" "));
  if (texts[0] === texts[1]) return [];
  const flow = is.flowOf(name);
  const [one, other] = [old[0], now[0]];
  if (old.length !== 1 || now.length !== 1 || !one || !other || one.kind !== other.kind) {
    return [change("major", name, "was declared in another way")];
  }
  if (ts.isFunctionDeclaration(one) && ts.isFunctionDeclaration(other))
    return compareSignatures(one, other, name, "out");
  if (ts.isTypeAliasDeclaration(one) && ts.isTypeAliasDeclaration(other)) {
    return [...compareHeads(one, other, name), ...compareTypes(one.type, other.type, name, flow)];
  }
  if (ts.isVariableStatement(one) && ts.isVariableStatement(other)) {
    const [type, newType] = [one, other].map(({ declarationList }) => declarationList.declarations[0]?.type);
    return compareTypes(type, newType, name, "out");
  }
  if (isHolder(one) && isHolder(other)) {
    // Nobody but the class itself makes its instances, so what it gains is only ever handed out.
    return [
      ...compareHeads(one, other, name),
      ...compareMembers(one.members, other.members, name, ts.isClassDeclaration(one) ? "out" : flow),
    ];
  }
  return [change("major", name, "changed")];
}

const isHolder = (node: ts.Node): node is ts.ClassDeclaration | ts.InterfaceDeclaration =>
  ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node);

/** Type parameters, and what a class or interface extends. */
function compareHeads(one: Headed, other: Headed, place: string): Change[] {
  const heritage = [one, other].map((node) =>
    "heritageClauses" in node ? (node.heritageClauses ?? []).map(printed).join(" ").trim() : "",
  );
  return [
    ...compareTypeParameters(one.typeParameters, other.typeParameters, place),
    ...(heritage[0] === heritage[1]
      ? []
      : [
          change(
            heritage[0] === "" ? "minor" : "major",
            place,
            `${heritage[0] || "nothing"} is now ${heritage[1] || "nothing"}`,
          ),
        ]),
  ];
}

type Headed = ts.ClassDeclaration | ts.InterfaceDeclaration | ts.TypeAliasDeclaration;
type TypeParameters = readonly ts.TypeParameterDeclaration[] | undefined;

function compareTypeParameters(one: TypeParameters, other: TypeParameters, place: string): Change[] {
  const [was, is] = [one ?? [], other ?? []];
  const same = was.every((parameter, index) => printed(parameter) === printed(is[index]));
  if (same && was.length === is.length) return [];
  const extendsOnly = same && is.slice(was.length).every((parameter) => parameter.default);
  return [change(extendsOnly ? "minor" : "major", place, "its type parameters changed")];
}

type Members = readonly (ts.ClassElement | ts.TypeElement)[];

/** Members by name; constructors, call and index signatures by what they are. */
function byName(members: Members): Map<string, ts.ClassElement | ts.TypeElement> {
  const visible = members.filter((member) => !(member.name && ts.isPrivateIdentifier(member.name)));
  const count = new Map<string, number>();
  return new Map(
    visible.map((member) => {
      const name = member.name ? printed(member.name) : (ts.SyntaxKind[member.kind] ?? "member");
      const earlier = count.get(name) ?? 0;
      count.set(name, earlier + 1);
      return [earlier > 0 ? `${name} (${earlier + 1})` : name, member];
    }),
  );
}

const isOptional = (member: ts.Node): boolean => "questionToken" in member && member.questionToken !== undefined;

const isReadonly = (member: ts.Node): boolean =>
  ts.canHaveModifiers(member) &&
  (ts.getModifiers(member) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword);

function compareMembers(one: Members, other: Members, place: string, flow: Flow): Change[] {
  const [old, now] = [byName(one), byName(other)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name): Change[] => {
    const at = `${place}.${name}`;
    const [was, is] = [old.get(name), now.get(name)];
    if (!is) return [change("major", at, "was removed")];
    if (!was) {
      const needed = !isOptional(is) && flow !== "out";
      return [
        change(
          needed ? "major" : "minor",
          at,
          needed ? "was added, and whoever hands one in must have it" : "was added",
        ),
      ];
    }
    if (printed(was) === printed(is)) return [];
    return compareMember(was, is, at, flow);
  });
}

function compareMember(was: ts.Node, is: ts.Node, at: string, flow: Flow): Change[] {
  const [optional, isNowOptional] = [isOptional(was), isOptional(is)];
  const [fixed, isFixed] = [isReadonly(was), isReadonly(is)];
  const head = [
    ...(optional === isNowOptional
      ? []
      : [
          change(
            flow === (isNowOptional ? "in" : "out") ? "minor" : "major",
            at,
            isNowOptional ? "is now optional" : "is now required",
          ),
        ]),
    ...(fixed === isFixed
      ? []
      : [change(isFixed ? "major" : "minor", at, isFixed ? "is now read-only" : "is no longer read-only")]),
  ];
  if (ts.isFunctionLike(was) && ts.isFunctionLike(is)) return [...head, ...compareSignatures(was, is, at, flow)];
  const [type, newType] = [was, is].map((node) =>
    ts.isPropertySignature(node) || ts.isPropertyDeclaration(node) ? node.type : undefined,
  );
  if (type && newType) return [...head, ...compareTypes(type, newType, at, flow)];
  return head.length > 0 ? head : [change("major", at, `${shown(was)} is now ${shown(is)}`)];
}

function compareSignatures(
  was: ts.SignatureDeclaration,
  is: ts.SignatureDeclaration,
  place: string,
  flow: Flow,
): Change[] {
  const parameters = Math.max(was.parameters.length, is.parameters.length);
  const found = Array.from({ length: parameters }, (_, index): Change[] => {
    const [old, now] = [was.parameters[index], is.parameters[index]];
    const at = `${place}(${(now ?? old)?.name.getText()})`;
    // A caller may pass less, and whoever hands a function in may ignore what it is passed.
    if (!now) return [change("major", at, "the parameter was removed")];
    const mayMiss = now.questionToken !== undefined || now.dotDotDotToken !== undefined;
    if (!old)
      return [
        change(
          mayMiss || flow === "in" ? "minor" : "major",
          at,
          `${mayMiss ? "an optional" : "a required"} parameter was added`,
        ),
      ];
    const missed = old.questionToken !== undefined || old.dotDotDotToken !== undefined;
    const needed = missed && !mayMiss ? [change("major", at, "the parameter is now required")] : [];
    const freed =
      !missed && mayMiss ? [change(flow === "out" ? "minor" : "major", at, "the parameter is now optional")] : [];
    return [...needed, ...freed, ...compareTypes(old.type, now.type, at, turned(flow))];
  });
  return [
    ...compareTypeParameters(was.typeParameters, is.typeParameters, place),
    ...found.flat(),
    ...compareTypes(was.type, is.type, place, flow),
  ];
}

const isSameGeneric = (was: ts.TypeReferenceNode, is: ts.TypeReferenceNode): boolean =>
  printed(was.typeName) === printed(is.typeName) && was.typeArguments?.length === is.typeArguments?.length;

/** As much of a type as a sentence bears. */
const shown = (node: ts.Node | undefined): string => {
  const text = printed(node);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
};

const partsOf = (type: ts.TypeNode): string[] =>
  ts.isUnionTypeNode(type)
    ? type.types.flatMap(partsOf)
    : ts.isParenthesizedTypeNode(type)
      ? partsOf(type.type)
      : [printed(type)];

/** Open lists of values admit more by their nature. */
const isOpen = (parts: readonly string[]): boolean =>
  parts.some((part) => part === "(string & {})" || part === "string & {}");

function compareTypes(was: ts.TypeNode | undefined, is: ts.TypeNode | undefined, place: string, flow: Flow): Change[] {
  if (printed(was) === printed(is)) return [];
  if (!was || !is) return [change("major", place, `${printed(was) || "no type"} is now ${printed(is) || "no type"}`)];
  if (ts.isTypeLiteralNode(was) && ts.isTypeLiteralNode(is))
    return compareMembers(was.members, is.members, place, flow);
  if (ts.isFunctionTypeNode(was) && ts.isFunctionTypeNode(is)) return compareSignatures(was, is, place, flow);
  if (ts.isArrayTypeNode(was) && ts.isArrayTypeNode(is))
    return compareTypes(was.elementType, is.elementType, `${place}[]`, flow);
  if (ts.isTypeReferenceNode(was) && ts.isTypeReferenceNode(is) && isSameGeneric(was, is)) {
    return (was.typeArguments ?? []).flatMap((argument, index) =>
      compareTypes(argument, is.typeArguments?.[index], place, flow),
    );
  }
  const [parts, newParts] = [partsOf(was), partsOf(is)];
  const added = newParts.filter((part) => !parts.includes(part));
  const removed = parts.filter((part) => !newParts.includes(part));
  if (added.length === 0 && removed.length === 0) return [];
  if (removed.length === 0) {
    return [change(flow === "in" || isOpen(parts) ? "minor" : "major", place, `now also ${added.join(" | ")}`)];
  }
  if (added.length === 0) {
    const keepsNames = removed.every((part) => part === "undefined" || part === "null");
    return [change(flow === "out" && keepsNames ? "minor" : "major", place, `no longer ${removed.join(" | ")}`)];
  }
  return [change("major", place, `${shown(was)} is now ${shown(is)}`)];
}

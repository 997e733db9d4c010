// Compares two versions of a package's public types: what do the changes mean for programs that compile against them?
import ts from "typescript";
import { type Bump, type Change, change, changeIf, compareNamed, merged } from "../change.ts";
import { listDifference } from "../json.ts";
import { type Flow, hasModifier, opposite, parseSurface, printed, type Surface } from "./declarations.ts";

/** Every change between two surfaces, as `surfacesOf` writes them. */
export function compareSurfaces(before: string, after: string): Change[] {
  const [was, is] = [parseSurface(before), parseSurface(after)];
  const modules = compareNamed(was.modules, is.modules, {
    removed: (entry) => change("major", entry, "the entry point was removed"),
    added: (entry) => change("minor", entry, "the entry point was added"),
    kept: (old, now, entry) => {
      const { added, removed } = listDifference([...old], [...now]);
      return [
        ...removed.map((name) => change("major", name, `is no longer exported by ${entry}`)),
        ...added.map((name) => change("minor", name, `is exported by ${entry}`)),
      ];
    },
  });
  const kept = [...was.declarations.keys()].filter((name) => is.declarations.has(name));
  return merged([...modules, ...kept.flatMap((name) => compareDeclarations(name, was, is))]);
}

function compareDeclarations(name: string, was: Surface, is: Surface): Change[] {
  const [old = [], now = []] = [was.declarations.get(name), is.declarations.get(name)];
  if (old.map(printed).join(" ") === now.map(printed).join(" ")) return [];
  const flow = is.flowOf(name);
  const [one, other] = [old[0], now[0]];
  if (old.length !== 1 || now.length !== 1 || !one || !other || one.kind !== other.kind)
    return [change("major", name, "is now declared differently")];
  if (ts.isFunctionDeclaration(one) && ts.isFunctionDeclaration(other))
    return compareSignatures(one, other, name, "out");
  if (ts.isTypeAliasDeclaration(one) && ts.isTypeAliasDeclaration(other))
    return [...compareHeads(one, other, name), ...compareTypes(one.type, other.type, name, flow)];
  if (ts.isVariableStatement(one) && ts.isVariableStatement(other)) {
    const [type, newType] = [one, other].map(({ declarationList }) => declarationList.declarations[0]?.type);
    return compareTypes(type, newType, name, "out");
  }
  if (isClassOrInterface(one) && isClassOrInterface(other)) {
    // Only the class itself creates instances, so customers never have to provide a member that it gains.
    const direction = ts.isClassDeclaration(one) ? "out" : flow;
    return [...compareHeads(one, other, name), ...compareMembers(one.members, other.members, name, direction)];
  }
  return [change("major", name, "changed")];
}

const isClassOrInterface = (node: ts.Node): node is ts.ClassDeclaration | ts.InterfaceDeclaration =>
  ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node);

type Headed = ts.ClassDeclaration | ts.InterfaceDeclaration | ts.TypeAliasDeclaration;

/** Compares type parameters and `extends` clauses. */
function compareHeads(one: Headed, other: Headed, place: string): Change[] {
  const [was = "", is = ""] = [one, other].map((node) =>
    "heritageClauses" in node ? (node.heritageClauses ?? []).map(printed).join(" ").trim() : "",
  );
  return [
    ...compareTypeParameters(one.typeParameters, other.typeParameters, place),
    ...changeIf(was !== is, was === "" ? "minor" : "major", place, `${was || "nothing"} is now ${is || "nothing"}`),
  ];
}

type TypeParameters = readonly ts.TypeParameterDeclaration[] | undefined;

function compareTypeParameters(was: TypeParameters = [], is: TypeParameters = [], place: string): Change[] {
  const keepsAll = was.every((parameter, index) => printed(parameter) === printed(is[index]));
  if (keepsAll && was.length === is.length) return [];
  const onlyAdds = keepsAll && is.slice(was.length).every((parameter) => parameter.default);
  return [change(onlyAdds ? "minor" : "major", place, "its type parameters changed")];
}

type Members = readonly (ts.ClassElement | ts.TypeElement)[];

/** Members by name. Constructors, call signatures and index signatures are named by their kind. */
function byName(members: Members): Map<string, ts.ClassElement | ts.TypeElement> {
  const visible = members.filter((member) => !(member.name && ts.isPrivateIdentifier(member.name)));
  const named = Map.groupBy(visible, (member) => (member.name ? printed(member.name) : ts.SyntaxKind[member.kind]));
  return new Map(
    [...named].flatMap(([name, group]) =>
      group.map((member, index) => [index > 0 ? `${name} (${index + 1})` : name, member] as const),
    ),
  );
}

const isOptional = (node: ts.Node): boolean =>
  ("questionToken" in node && node.questionToken !== undefined) ||
  ("dotDotDotToken" in node && node.dotDotDotToken !== undefined);

const compareMembers = (one: Members, other: Members, place: string, flow: Flow): Change[] =>
  compareNamed(byName(one), byName(other), {
    removed: (name) => change("major", `${place}.${name}`, "was removed"),
    added: (name, is) =>
      isOptional(is) || flow === "out"
        ? change("minor", `${place}.${name}`, "was added")
        : change("major", `${place}.${name}`, "was added, and callers must provide it"),
    kept: (was, is, name) => (printed(was) === printed(is) ? [] : compareMember(was, is, `${place}.${name}`, flow)),
  });

function compareMember(was: ts.Node, is: ts.Node, place: string, flow: Flow): Change[] {
  const [optional, isNowOptional] = [isOptional(was), isOptional(is)];
  const [fixed, isFixed] = [was, is].map((node) => hasModifier(node, ts.SyntaxKind.ReadonlyKeyword));
  const safeFlow: Flow = isNowOptional ? "in" : "out";
  const optionality: Bump = flow === safeFlow ? "minor" : "major";
  const head = [
    ...changeIf(optional !== isNowOptional, optionality, place, `is now ${isNowOptional ? "optional" : "required"}`),
    ...changeIf(!fixed && isFixed === true, "major", place, "is now read-only"),
    ...changeIf(fixed === true && !isFixed, "minor", place, "is no longer read-only"),
  ];
  if (ts.isFunctionLike(was) && ts.isFunctionLike(is)) return [...head, ...compareSignatures(was, is, place, flow)];
  const [type, newType] = [was, is].map((node) =>
    ts.isPropertySignature(node) || ts.isPropertyDeclaration(node) ? node.type : undefined,
  );
  if (type && newType) return [...head, ...compareTypes(type, newType, place, flow)];
  return head.length > 0 ? head : [change("major", place, `${shown(was)} is now ${shown(is)}`)];
}

type Signature = ts.SignatureDeclaration;

function compareSignatures(was: Signature, is: Signature, place: string, flow: Flow): Change[] {
  const longer = was.parameters.length > is.parameters.length ? was : is;
  return [
    ...compareTypeParameters(was.typeParameters, is.typeParameters, place),
    ...longer.parameters.flatMap((_, index) =>
      compareParameter(was.parameters[index], is.parameters[index], place, flow),
    ),
    ...compareTypes(was.type, is.type, place, flow),
  ];
}

type Parameter = ts.ParameterDeclaration | undefined;

/** Callers may pass fewer arguments, and functions that customers provide may ignore some. */
function compareParameter(was: Parameter, is: Parameter, signature: string, flow: Flow): Change[] {
  const place = `${signature}(${(is ?? was)?.name.getText()})`;
  if (!is) return [change("major", place, "the parameter was removed")];
  const optional = isOptional(is);
  if (!was) {
    const bump = optional || flow === "in" ? "minor" : "major";
    return [change(bump, place, `${optional ? "an optional" : "a required"} parameter was added`)];
  }
  const wasOptional = isOptional(was);
  return [
    ...changeIf(wasOptional && !optional, "major", place, "the parameter is now required"),
    ...changeIf(!wasOptional && optional, flow === "out" ? "minor" : "major", place, "the parameter is now optional"),
    ...compareTypes(was.type, is.type, place, opposite(flow)),
  ];
}

/** The text of a type, shortened to fit a message. */
const shown = (node: ts.Node | undefined): string => {
  const text = printed(node) || "no type";
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
};

const partsOf = (type: ts.TypeNode): string[] => {
  if (ts.isUnionTypeNode(type)) return type.types.flatMap(partsOf);
  return ts.isParenthesizedTypeNode(type) ? partsOf(type.type) : [printed(type)];
};

function compareTypes(was: ts.TypeNode | undefined, is: ts.TypeNode | undefined, place: string, flow: Flow): Change[] {
  if (printed(was) === printed(is)) return [];
  if (!was || !is) return [change("major", place, `${shown(was)} is now ${shown(is)}`)];
  if (ts.isTypeLiteralNode(was) && ts.isTypeLiteralNode(is))
    return compareMembers(was.members, is.members, place, flow);
  if (ts.isFunctionTypeNode(was) && ts.isFunctionTypeNode(is)) return compareSignatures(was, is, place, flow);
  if (ts.isArrayTypeNode(was) && ts.isArrayTypeNode(is))
    return compareTypes(was.elementType, is.elementType, `${place}[]`, flow);
  if (ts.isTypeReferenceNode(was) && ts.isTypeReferenceNode(is)) {
    const [old = [], now = []] = [was.typeArguments, is.typeArguments];
    if (printed(was.typeName) === printed(is.typeName) && old.length === now.length)
      return old.flatMap((argument, index) => compareTypes(argument, now[index], place, flow));
  }
  return compareUnions(was, is, place, flow);
}

function compareUnions(was: ts.TypeNode, is: ts.TypeNode, place: string, flow: Flow): Change[] {
  const parts = partsOf(was);
  const { added, removed } = listDifference(parts, partsOf(is));
  if (added.length === 0 && removed.length === 0) return [];
  if (removed.length === 0) {
    // Open enums may gain values at any time.
    const isOpen = parts.some((part) => /^\(?string & \{\}\)?$/.test(part));
    return [change(flow === "in" || isOpen ? "minor" : "major", place, `now also ${added.join(" | ")}`)];
  }
  if (added.length > 0) return [change("major", place, `${shown(was)} is now ${shown(is)}`)];
  const keepsNames = removed.every((part) => part === "undefined" || part === "null");
  return [change(flow === "out" && keepsNames ? "minor" : "major", place, `no longer ${removed.join(" | ")}`)];
}

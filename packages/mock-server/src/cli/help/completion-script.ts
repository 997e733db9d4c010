import type { CompletionWords, Place, Word } from "./completion-words.ts";

/** The shells that a script can be written for. */
export const shells = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof shells)[number];

/** The name of the installed program, which the scripts complete. An alias of this name works too. */
const program = "call-transfer-mock";

/** Writes the completion script of a shell. */
export function completionScript(shell: Shell, words: CompletionWords): string {
  if (shell === "fish") return fishScript(words);
  return shell === "bash" ? bashScript(words) : zshScript(words);
}

/** The operands before a place as a pattern of `case`: their number and themselves, since `*` also matches a slash. */
function pattern({ before }: Place): string {
  return [before.length, ...before].join("/");
}

/** Longer lists of literal words come before patterns with `*`, which match them too. */
function inOrder(places: readonly Place[]): readonly Place[] {
  return places.toSorted((one, other) => stars(one) - stars(other));
}

function stars({ before }: Place): number {
  return before.filter((word) => word === "*").length;
}

function withValue({ options }: CompletionWords): string[] {
  return [
    ...new Set(
      [...options.values()]
        .flat()
        .filter((one) => one.takesValue)
        .map(({ word }) => word),
    ),
  ].sort();
}

/** The lines that find the command and the operands in front of the cursor, in bash and zsh. */
function readLine(words: CompletionWords, list: string, first: number, current: string): string {
  return `  local operands="" count=0 skip="" word="" previous="" command="start" i
  for ((i = ${first}; i < ${current}; i++)); do
    word="\${${list}[i]}"
    previous="$word"
    if [[ -n "$skip" ]]; then
      [[ "$word" == "=" ]] || skip=""
      continue
    fi
    case "$word" in
      ${withValue(words).join("|")}) skip=1 ;;
      -*) ;;
      *)
        [[ $count == 0 ]] && command="$word"
        operands="$operands/$word"
        count=$((count + 1))
        ;;
    esac
  done`;
}

function bashScript(words: CompletionWords): string {
  const listOf = (list: readonly Word[]): string => list.map(({ word }) => word).join(" ");
  const values = [...words.options].flatMap(([command, options]) =>
    options
      .filter((option) => option.takesValue)
      .map((option) => {
        const files = option.takesFile ? "compopt -o default; " : "";
        return `      "${command} ${option.word}") ${files}list="${option.values.join(" ")}" ;;`;
      }),
  );
  return `# Completion of ${program} in bash. Load it with: source <(${program} completion bash)
_call_transfer_mock() {
  local current="\${COMP_WORDS[COMP_CWORD]}" list=""
${readLine(words, "COMP_WORDS", 1, "COMP_CWORD")}
  [[ "$current" == "=" ]] && current=""
  if [[ -n "$skip" ]]; then
    [[ "$previous" == "=" ]] && previous="\${COMP_WORDS[COMP_CWORD - 2]}"
    case "$command $previous" in
${values.join("\n")}
    esac
  elif [[ "$current" == -* ]]; then
    case "$command" in
${[...words.options].map(([command, options]) => `      ${command}) list="${listOf(options)}" ;;`).join("\n")}
    esac
  else
    case "$count$operands" in
${inOrder(words.places)
  .map(
    (place) =>
      `      ${pattern(place)}) ${place.hasFiles ? "compopt -o default; " : ""}list="${listOf(place.words)}" ;;`,
  )
  .join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$list" -- "$current"))
}
complete -F _call_transfer_mock ${program}
`;
}

function zshScript(words: CompletionWords): string {
  const quoted = ({ word, help }: Word): string =>
    `'${`${word.replaceAll(":", "\\:")}:${short(help)}`.replaceAll("'", "'\\''")}'`;
  const listOf = (list: readonly Word[]): string => `list=(${list.map(quoted).join(" ")})`;
  const values = [...words.options].flatMap(([command, options]) =>
    options
      .filter((option) => option.takesValue && (option.values.length > 0 || option.takesFile))
      .map((option) => {
        const files = option.takesFile ? "_files; " : "";
        return `      "${command} ${option.word}") ${files}list=(${option.values.join(" ")}) ;;`;
      }),
  );
  return `#compdef ${program}
# Completion of ${program} in zsh. Load it with: source <(${program} completion zsh)
_call_transfer_mock() {
  local -a list
${readLine(words, "words", 2, "CURRENT")}
  if [[ -n "$skip" ]]; then
    case "$command $previous" in
${values.join("\n")}
    esac
  elif [[ "\${words[CURRENT]}" == -* ]]; then
    case "$command" in
${[...words.options].map(([command, options]) => `      ${command}) ${listOf(options)} ;;`).join("\n")}
    esac
  else
    case "$count$operands" in
${inOrder(words.places)
  .map((place) => `      ${pattern(place)}) ${place.hasFiles ? "_files; " : ""}${listOf(place.words)} ;;`)
  .join("\n")}
    esac
  fi
  (( \${#list} )) && _describe '${program}' list
}
(( $+functions[compdef] )) && compdef _call_transfer_mock ${program}
`;
}

function fishScript(words: CompletionWords): string {
  const quoted = ({ word, help }: Word): string => `'${`${word}\t${short(help)}`.replaceAll(/['\\]/g, "\\$&")}'`;
  const print = (list: readonly Word[], hasFiles: boolean): string =>
    [
      ...(hasFiles ? ["__fish_complete_path (commandline -ct)"] : []),
      ...(list.length > 0 ? [`printf '%s\\n' ${list.map(quoted).join(" ")}`] : []),
    ].join("; ") || "true";
  const values = [...words.options].flatMap(([command, options]) =>
    options
      .filter((option) => option.takesValue && (option.values.length > 0 || option.takesFile))
      .map((option) => {
        const list = option.values.map((word) => ({ word, help: "" }));
        return `            case '${command} ${option.word}'\n                ${print(list, option.takesFile)}`;
      }),
  );
  return `# Completion of ${program} in fish. Load it with: ${program} completion fish | source
function __call_transfer_mock
    set -l operands
    set -l skip
    set -l command start
    set -l previous
    for word in (commandline -opc)[2..]
        set previous $word
        if test -n "$skip"
            set skip
            continue
        end
        switch $word
            case ${withValue(words).join(" ")}
                set skip 1
            case '-*'
            case '*'
                test (count $operands) -eq 0; and set command $word
                set -a operands $word
        end
    end
    if test -n "$skip"
        switch "$command $previous"
${values.join("\n")}
        end
    else if string match -q -- '-*' (commandline -ct)
        switch $command
${[...words.options].map(([command, options]) => `            case ${command}\n                ${print(options, false)}`).join("\n")}
        end
    else
        switch (string join / (count $operands) $operands)
${inOrder(words.places)
  .map((place) => `            case '${pattern(place)}'\n                ${print(place.words, place.hasFiles)}`)
  .join("\n")}
        end
    end
end
complete -c ${program} -f -a '(__call_transfer_mock)'
`;
}

/** The first clause of an explanation, for a list beside the words. */
function short(help: string): string {
  const [first = ""] = help.split(/[.;:(]/);
  return first.trim().slice(0, 70);
}

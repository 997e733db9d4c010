import type { CompletionWords, Place, Word } from "./completion-words.ts";

export const shells = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof shells)[number];

/** The name of the installed program, which the scripts complete. An alias of this name works too. */
const program = "call-transfer-mock";

export function completionScript(shell: Shell, words: CompletionWords): string {
  if (shell === "fish") return fishScript(words);
  return shell === "bash" ? bashScript(words) : zshScript(words);
}

/** What a shell offers where the command line fits a pattern: words, and perhaps files. */
interface Offer {
  readonly pattern: string;
  readonly words: readonly Word[];
  readonly hasFiles: boolean;
}

/** The offers for the value of an option, for options, and for operands. */
function offersOf({ options, places }: CompletionWords) {
  const withValue = [...options].flatMap(([command, list]) =>
    list.filter(({ takesValue }) => takesValue).map((option) => ({ command, ...option })),
  );
  const stars = ({ before }: Place): number => before.filter((word) => word === "*").length;
  return {
    optionsWithValue: [...new Set(withValue.map(({ word }) => word))].sort(),
    values: withValue
      .filter(({ values, takesFile }) => values.length > 0 || takesFile)
      .map(({ command, word, values, takesFile }): Offer => {
        const words = values.map((value) => ({ word: value, help: "" }));
        return { pattern: `${command} ${word}`, words, hasFiles: takesFile };
      }),
    options: [...options].map(([pattern, words]): Offer => ({ pattern, words, hasFiles: false })),
    // Longer lists of literal words come before patterns with `*`, which match them too. A pattern has the number of
    // operands and themselves, since `*` also matches a slash.
    operands: places
      .toSorted((one, other) => stars(one) - stars(other))
      .map(({ before, ...offer }): Offer => ({ pattern: [before.length, ...before].join("/"), ...offer })),
  };
}

/** What differs between bash and zsh. */
interface Dialect {
  /** The array of the words of the line, the index of the first after the program, and of the current one. */
  readonly line: readonly [words: string, first: number, current: string];
  readonly locals: string;
  readonly current: string;
  /** Lines that follow the reading of the line, and those before the value of an option is completed. */
  readonly adapt?: readonly [afterReading: string, beforeValue: string];
  offer(offer: Offer): string;
}

/** The body of the function that completes, in bash and zsh. */
function posixBody(completion: CompletionWords, { line, locals, current, adapt, offer }: Dialect): string {
  const [words, first, cursor] = line;
  const { optionsWithValue, values, options, operands } = offersOf(completion);
  const branches = (offers: readonly Offer[]): string =>
    offers
      .map((one) => `      ${one.pattern.includes(" ") ? `"${one.pattern}"` : one.pattern}) ${offer(one)} ;;`)
      .join("\n");
  return `  ${locals}
  local operands="" count=0 skip="" word="" previous="" command="start" i
  for ((i = ${first}; i < ${cursor}; i++)); do
    word="\${${words}[i]}"
    previous="$word"
    if [[ -n "$skip" ]]; then
      [[ "$word" == "=" ]] || skip=""
      continue
    fi
    case "$word" in
      ${optionsWithValue.join("|")}) skip=1 ;;
      -*) ;;
      *)
        [[ $count == 0 ]] && command="$word"
        operands="$operands/$word"
        count=$((count + 1))
        ;;
    esac
  done${adapt?.[0] ?? ""}
  if [[ -n "$skip" ]]; then${adapt?.[1] ?? ""}
    case "$command $previous" in
${branches(values)}
    esac
  elif [[ "${current}" == -* ]]; then
    case "$command" in
${branches(options)}
    esac
  else
    case "$count$operands" in
${branches(operands)}
    esac
  fi`;
}

function bashScript(completion: CompletionWords): string {
  const body = posixBody(completion, {
    line: ["COMP_WORDS", 1, "COMP_CWORD"],
    locals: `local current="\${COMP_WORDS[COMP_CWORD]}" list=""`,
    current: "$current",
    adapt: [
      '\n  [[ "$current" == "=" ]] && current=""',
      `\n    [[ "$previous" == "=" ]] && previous="\${COMP_WORDS[COMP_CWORD - 2]}"`,
    ],
    offer: ({ words, hasFiles }) =>
      `${hasFiles ? "compopt -o default; " : ""}list="${words.map(({ word }) => word).join(" ")}"`,
  });
  return `# Completion of ${program} in bash. Load it with: source <(${program} completion bash)
_call_transfer_mock() {
${body}
  COMPREPLY=($(compgen -W "$list" -- "$current"))
}
complete -F _call_transfer_mock ${program}
`;
}

function zshScript(completion: CompletionWords): string {
  const quoted = ({ word, help }: Word): string =>
    help === "" ? word : `'${`${word.replaceAll(":", "\\:")}:${short(help)}`.replaceAll("'", "'\\''")}'`;
  const body = posixBody(completion, {
    line: ["words", 2, "CURRENT"],
    locals: "local -a list",
    current: `\${words[CURRENT]}`,
    offer: ({ words, hasFiles }) => `${hasFiles ? "_files; " : ""}list=(${words.map(quoted).join(" ")})`,
  });
  return `#compdef ${program}
# Completion of ${program} in zsh. Load it with: source <(${program} completion zsh)
_call_transfer_mock() {
${body}
  (( \${#list} )) && _describe '${program}' list
}
(( $+functions[compdef] )) && compdef _call_transfer_mock ${program}
`;
}

function fishScript(completion: CompletionWords): string {
  const quoted = ({ word, help }: Word): string => `'${`${word}\t${short(help)}`.replaceAll(/['\\]/g, "\\$&")}'`;
  const { optionsWithValue, values, options, operands } = offersOf(completion);
  const print = ({ words, hasFiles }: Offer): string =>
    [
      ...(hasFiles ? ["__fish_complete_path (commandline -ct)"] : []),
      ...(words.length > 0 ? [`printf '%s\\n' ${words.map(quoted).join(" ")}`] : []),
    ].join("; ") || "true";
  const branches = (offers: readonly Offer[]): string =>
    offers.map((one) => `            case '${one.pattern}'\n                ${print(one)}`).join("\n");
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
            case ${optionsWithValue.join(" ")}
                set skip 1
            case '-*'
            case '*'
                test (count $operands) -eq 0; and set command $word
                set -a operands $word
        end
    end
    if test -n "$skip"
        switch "$command $previous"
${branches(values)}
        end
    else if string match -q -- '-*' (commandline -ct)
        switch $command
${branches(options)}
        end
    else
        switch (string join / (count $operands) $operands)
${branches(operands)}
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

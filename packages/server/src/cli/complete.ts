import { commands } from './commands.ts';
import { type CommandField, flagNames } from './fields.ts';
import { ownCommands } from './own/index.ts';
import type { CommandSyntax } from './parse.ts';
import { powershellScript } from './powershell.ts';
import { commandWords, ownWords, subjectWords } from './words.ts';

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

export function completionScript(shell: Shell): string {
  return { bash, zsh, fish, powershell }[shell]();
}

/** A command with its synonyms and its syntax. */
type CompletedCommand = CommandSyntax & { also: readonly string[] };

const completed: readonly CompletedCommand[] = [
  ...commands,
  ...ownCommands.map(({ word, args, fields }) => ({ word, also: [], args, fields: [], common: fields })),
];

/** The words that a command is known by. `eval judge` is two: the shells complete the first only. */
const wordsOf = ({ word, also }: CompletedCommand) => [word, ...also.filter((other) => !other.includes(' '))];
const patternOf = (command: CompletedCommand) => wordsOf(command).join('|');
const fullNames = () => commands.map(({ name }) => name);
const fieldsOf = ({ fields, common }: CompletedCommand): CommandField[] => [...fields, ...common];
const takesFile = ({ args }: CompletedCommand) => args.some(({ kind }) => kind === 'document' || kind === 'file');

const flagsOf = (command: CompletedCommand): string[] =>
  fieldsOf(command).flatMap((field) =>
    field.kind === 'boolean' && !field.isSwitch ? [...flagNames(field), `--no-${field.flag}`] : flagNames(field),
  );

/** One line of a shell's `case` for each flag with a fixed set of values. */
const choiceCases = (reply: (words: string) => string): string =>
  completed
    .flatMap((command) =>
      fieldsOf(command)
        .filter(({ choices }) => choices.length > 0)
        .map(({ flag, choices }) => {
          const patterns = wordsOf(command).map((word) => `"${word} --${flag}"`);
          return `    ${patterns.join('|')}) ${reply(choices.join(' '))}; return ;;`;
        }),
    )
    .join('\n');

const flagCases = (reply: (words: string) => string): string =>
  completed.map((command) => `    ${patternOf(command)}) ${reply(flagsOf(command).join(' '))} ;;`).join('\n');

/** Every listed word with its summary. */
const describedWords = () => [...subjectWords.map(({ word, summary }) => [word, summary] as const), ...ownWords];

const filePattern = () => completed.filter(takesFile).map(patternOf).join('|') || '-';

function bash(): string {
  const reply = (words: string) => `words="${words}"`;
  return `# bash completion for mem: source <(mem completion bash)
_mem() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    case "$cur" in
      *.*) words="${fullNames().join(' ')}" ;;
      *) words="${commandWords().join(' ')} --help --version" ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    return
  fi
  case "$command $prev" in
${choiceCases((words) => `COMPREPLY=($(compgen -W "${words}" -- "$cur"))`)}
  esac
  case "$command" in
    help) words="${commandWords().join(' ')}" ;;
    completion) words="${shells.join(' ')}" ;;
    *) case "$cur" in -*) ;; *)
        case "$command" in
          ${filePattern()}) COMPREPLY=($(compgen -f -- "$cur")) ;;
        esac
        return ;;
      esac ;;
  esac
  case "$command" in
${flagCases(reply)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _mem mem
`;
}

function zsh(): string {
  const described = describedWords();
  return `#compdef mem
# zsh completion for mem: mem completion zsh > "\${fpath[1]}/_mem", or source <(mem completion zsh)
_mem() {
  local command="\${words[2]}" prev="\${words[CURRENT-1]}"
  if (( CURRENT == 2 )); then
    local -a found
    found=(
${described.map(([word, text]) => `      ${quoted(`${word}:${text}`)}`).join('\n')}
    )
    _describe 'command' found
    return
  fi
  case "$command $prev" in
${choiceCases((words) => `compadd -- ${words}`)}
  esac
  case "$command" in
    help) compadd -- ${commandWords().join(' ')} ;;
    completion) compadd -- ${shells.join(' ')} ;;
    ${filePattern()}) [[ "$PREFIX" == -* ]] || _files ;;
  esac
  case "$command" in
${flagCases((words) => `compadd -- ${words}`)}
  esac
}
if [ "\${funcstack[1]}" = "_mem" ]; then _mem "$@"; else compdef _mem mem; fi
`;
}

function fish(): string {
  const lines = [
    '# fish completion for mem: mem completion fish | source',
    'complete -c mem -f',
    ...ownWords.map(([word, text]) => fishWord(word, text)),
    ...subjectWords.map(({ word, summary }) => fishWord(word, summary)),
    `complete -c mem -n '__fish_seen_subcommand_from completion' -a '${shells.join(' ')}'`,
    `complete -c mem -n '__fish_seen_subcommand_from help' -a '${commandWords().join(' ')}'`,
    ...completed.flatMap(fishFlags),
  ];
  return `${lines.join('\n')}\n`;
}

const powershell = (): string =>
  powershellScript({
    words: describedWords(),
    fullNames: fullNames(),
    shells,
    commands: completed.map((command) => ({
      words: wordsOf(command),
      flags: flagsOf(command),
      choices: fieldsOf(command)
        .filter(({ choices }) => choices.length > 0)
        .map(({ flag, choices }) => ({ flag: `--${flag}`, choices })),
    })),
  });

const fishWord = (word: string, text: string) =>
  `complete -c mem -n __fish_use_subcommand -a ${word} -d ${quoted(text)}`;

function fishFlags(command: CompletedCommand): string[] {
  const seen = `complete -c mem -n '__fish_seen_subcommand_from ${patternOf(command).replaceAll('|', ' ')}'`;
  const flags = fieldsOf(command).map(({ flag, kind, choices, description = '' }) => {
    const values = choices.length > 0 ? ` -x -a '${choices.join(' ')}'` : kind === 'boolean' ? '' : ' -x';
    return `${seen} -l ${flag}${values}${description ? ` -d ${quoted(description.replaceAll('`', ''))}` : ''}`;
  });
  const negated = flagsOf(command).filter((flag) => flag.startsWith('--no-'));
  flags.push(...negated.map((flag) => `${seen} -l ${flag.slice(2)}`));
  return takesFile(command) ? [...flags, `${seen} -F`] : flags;
}

const quoted = (text: string) => `'${text.replaceAll("'", '’')}'`;

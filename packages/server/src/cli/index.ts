import { type Problem, suggest } from '@mem-service/contract';
import { VERSION } from '../version.ts';
import { findCommand, findInTwoWords } from './commands.ts';
import { completionScript, type Shell, shells } from './complete.ts';
import { describeProblem, exitCodeOf, problemOf, UsageError } from './failure.ts';
import { hintForGit } from './git-words.ts';
import { commandHelp, fullOverview, overview, pairsHelp } from './help.ts';
import { exampleLines } from './help-text.ts';
import { findClientConfig } from './memory.ts';
import { findOwn, findOwnInTwoWords } from './own/index.ts';
import type { CliParts } from './parts.ts';
import { clean } from './render/index.ts';
import { runCommand } from './run.ts';
import { openTerminal, type Terminal } from './terminal.ts';
import { commandWords, pairsFrom } from './words.ts';

export type { CliParts } from './parts.ts';

/** Runs a command line and returns the exit code. */
export async function runCli(
  args: readonly string[],
  parts: CliParts,
  terminal: Terminal = openTerminal(),
): Promise<number> {
  try {
    return await dispatch(args, { ...parts, terminal });
  } catch (error) {
    const problem = problemOf(error);
    if (args.includes('--json')) terminal.err(`${JSON.stringify(problem)}\n`);
    else {
      const failed = { command: commandOf(args), env: parts.readEnvironment() };
      const lines = [...describeProblem(problem, failed), ...branchHint(problem, parts)];
      for (const line of lines) terminal.err(`mem: ${clean(line)}\n`);
    }
    return exitCodeOf(problem);
  }
}

const commandOf = ([word = '', second]: readonly string[]) => findInTwoWords(word, second) ?? findCommand(word);

const OF_BRANCHES = [
  'branch_not_found',
  'branch_access_denied',
  'branch_closed',
  'branch_read_only',
  'branch_protected',
];

/** What to do instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  branch_protected:
    'write on a branch of your own (mem switch -c <branch>), then merge it: mem merge <branch>, or mem pr open <title> for a review',
  entry_quarantined: 'mem quarantines --status active lists them, mem release <quarantine_id> brings the entries back',
  pull_request_required: 'mem pr open <title> <branch> asks for the review',
};

/** What to do, and why a command is about this branch, where the user has not just named it. */
function branchHint({ code, branch }: Problem, parts: CliParts): string[] {
  const instead = INSTEAD[code] === undefined ? [] : [INSTEAD[code]];
  if (!OF_BRANCHES.includes(code)) return instead;
  const chosen = findClientConfig(parts).branch;
  if (!chosen || chosen.name !== branch) return instead;
  if (chosen.by === 'MEM_BRANCH') return [...instead, 'MEM_BRANCH names this branch'];
  const back = branch === 'main' ? '' : ': mem switch main goes back';
  return [...instead, `${chosen.folder} was switched to this branch${back}`];
}

async function dispatch(args: readonly string[], parts: CliParts & { terminal: Terminal }): Promise<number> {
  const [word, ...rest] = args;
  const { out } = parts.terminal;
  switch (word) {
    case undefined:
      out(overview(VERSION));
      return 0;
    case '--version':
      out(`${VERSION}\n`);
      return 0;
    case 'help':
    case '--help':
    case '-h':
      out(helpFor(rest));
      return 0;
    case 'completion':
      out(rest.includes('--help') || rest.includes('-h') ? helpFor(['completion']) : completion(rest));
      return 0;
    default: {
      const paired = findOwnInTwoWords(word, rest[0]);
      const own = paired ?? findOwn(word);
      if (own)
        return own.run(paired ? rest.slice(1) : rest, {
          ...parts,
          runCommand: (command, words) => runCommand(command, words, parts),
        });
      const two = findInTwoWords(word, rest[0]);
      if (two) return runCommand(two, rest.slice(1), parts);
      const command = findCommand(word);
      if (!command) return listPairs(args, out);
      return runCommand(command, rest, parts);
    }
  }
}

function helpFor([word, second]: readonly string[]): string {
  if (word === '--all') return fullOverview(VERSION);
  if (word === undefined || word === 'help') return overview(VERSION);
  if (word === 'completion') return completionHelp;
  const own = findOwnInTwoWords(word, second) ?? findOwn(word);
  const verb = own?.commandOf?.(second ?? '');
  if (own) return verb ? commandHelp(verb) : own.help;
  const command = commandOf([word, second ?? '']);
  if (command) return commandHelp(command);
  const inTwoWords = pairsFrom(word);
  if (inTwoWords.length === 0) throw unknown(word);
  return pairsHelp(word, inTwoWords);
}

/** A word such as `eval` that is a command only with a second one. Alone, it lists them. */
function listPairs([word = '', second]: readonly string[], out: (text: string) => void): number {
  const found = pairsFrom(word);
  if (found.length === 0) throw unknown(word);
  if (second !== undefined && !second.startsWith('-')) {
    const seconds = found.map(({ pair }) => pair.slice(word.length + 1));
    const hint = suggest(second, seconds);
    const all = hint === '' ? `. It has ${seconds.join(', ')}` : ` mem ${word} lists all`;
    throw new UsageError(`${word} has no command ${JSON.stringify(second)}${hint}${all}`);
  }
  out(pairsHelp(word, found));
  return 0;
}

const completionHelp = `Usage: mem completion ${shells.join('|')}

Prints a script for the shell to read: commands, flags and the values that flags take.

${exampleLines([
  ['bash: for this shell, or in ~/.bashrc', 'source <(mem completion bash)'],
  ['zsh: into a folder of $fpath, before compinit runs', 'mem completion zsh > ~/.zfunc/_mem'],
  ['fish: for every shell', 'mem completion fish > ~/.config/fish/completions/mem.fish'],
  [
    'PowerShell: for this shell, or in the file that $PROFILE names',
    'mem completion powershell | Out-String | Invoke-Expression',
  ],
])}
`;

function completion([shell, ...more]: readonly string[]): string {
  if (more.length === 0 && shells.includes(shell as Shell)) return completionScript(shell as Shell);
  throw new UsageError(`give one shell: mem completion ${shells.join('|')}`);
}

function unknown(word: string): UsageError {
  if (word.startsWith('-')) return new UsageError(`the command comes first, then its flags: mem <command> ${word}`);
  const ours = hintForGit(word);
  const hint = ours === undefined ? suggest(word, commandWords()) : `: ${ours}`;
  return new UsageError(`there is no command ${JSON.stringify(word)}${hint}`);
}

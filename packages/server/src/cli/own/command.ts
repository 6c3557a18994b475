import type { Command } from '../commands.ts';
import { type ExitCode, UsageError } from '../failure.ts';
import { type CommandField, field, toggle } from '../fields.ts';
import { exampleLines, syntaxHelp } from '../help-text.ts';
import { isOn, type ParsedFlags, parseArgs } from '../parse.ts';
import type { CliParts } from '../parts.ts';
import type { Terminal } from '../terminal.ts';

export type OwnParts = CliParts & {
  terminal: Terminal;
  /** Runs an operation as if it had been typed. */
  runCommand(command: Command, args: readonly string[]): Promise<ExitCode>;
};

/** A command about the program itself, or one that combines several operations. */
export type OwnCommand = {
  word: string;
  summary: string;
  /** Two words that also name it. */
  pair?: string;
  /** Works, but is not listed: another command does the same. */
  hidden?: true;
  /** The module whose operations it joins: it is listed with them. */
  module?: string;
  args: readonly CommandField[];
  fields: readonly CommandField[];
  readonly help: string;
  /** What one of its verbs runs. */
  commandOf?(verb: string): Command | undefined;
  run(args: readonly string[], parts: OwnParts): Promise<number>;
};

type CommandSpec = Pick<OwnCommand, 'word' | 'summary' | 'module' | 'pair'> & {
  /** Paragraphs after the summary. */
  about?: string;
  args?: readonly CommandField[];
  flags?: readonly CommandField[];
  examples: readonly (readonly [line: string, text: string])[];
  run(given: ParsedFlags, parts: OwnParts): Promise<ExitCode>;
};

/** The caller, for commands that call the service. */
export const identityFlags = [
  field('agent', 'The agent on whose behalf this runs. Default: MEM_AGENT_ID, or cli.'),
  field('session', 'The session it belongs to.'),
];
export const identityOf = (given: ParsedFlags) => ({
  agent: given.get('agent')?.[0],
  session: given.get('session')?.[0],
});

/** The number that was given for a flag. */
export function wholeNumber(given: ParsedFlags, flag: string): number | undefined {
  const text = given.get(flag)?.[0];
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new UsageError(`--${flag} must be a whole number above 0, not ${JSON.stringify(text)}`);
  return Number(text);
}

const HELP = toggle('help', 'Print this help.');

/** Declares a command with the same argument syntax as every other one. */
export function ownCommand({ args = [], flags = [], examples, run, ...spec }: CommandSpec): OwnCommand {
  const { word, summary, module, pair, about } = spec;
  const fields = [...args, ...flags, HELP];
  const syntax = { word, args, fields, common: [] };
  const helpText = () => {
    const usage = syntaxHelp(syntax, about ? `${summary}.\n\n${about}` : `${summary}.`);
    return `${usage}\n\n${exampleLines(examples.map(([line, text]) => [text, line]))}\n`;
  };
  return {
    word,
    summary,
    ...(module === undefined ? {} : { module }),
    ...(pair === undefined ? {} : { pair }),
    args,
    fields,
    get help() {
      return helpText();
    },
    async run(given, parts) {
      const parsed = parseArgs(syntax, given);
      if (!isOn(parsed, 'help')) return run(parsed, parts);
      parts.terminal.out(helpText());
      return 0;
    },
  };
}

import { Fault, type Output } from '@mem-service/contract';
import { listField } from '@mem-service/sdk';
import type { Command } from './commands.ts';
import type { ServiceConnection } from './connect.ts';
import { problemOf } from './failure.ts';
import { shellText } from './help.ts';
import type { CommandInput } from './input.ts';
import { readAnswer } from './render/index.ts';

type AnsweredCommand = { command: Command; input: CommandInput; text: string };

/** What a process that goes on running does, after the answer. */
const BEGUN: ReadonlySet<string> = new Set(['pattern_scans.create', 'backfills.create', 'room_documents.add']);

/** What to do next, where an answer leaves something to do. */
export async function hintAfter(connection: ServiceConnection, answered: AnsweredCommand): Promise<string> {
  const { command, input, text } = answered;
  if (command.name === 'room_documents.read_text') return hintWithoutText(input, text);
  if (connection.isLocal && BEGUN.has(command.name)) return 'mem serve does it: this command has only begun it\n';
  if (command.name !== 'consolidation.run') return hintBelow(connection, answered);
  const { proposals_created } = JSON.parse(text) as Output<'consolidation.run'>;
  return proposals_created > 0 && input.preview !== true ? 'mem proposals shows what is to decide\n' : '';
}

function hintWithoutText({ room_id, document_id }: CommandInput, text: string): string {
  const { version } = JSON.parse(text) as Output<'room_documents.read_text'>;
  return version === null ? `its text is not there: mem show-document ${room_id} ${document_id} says why\n` : '';
}

const LISTS: readonly string[] = ['entries.list', 'entries.search'];

/** A path that holds nothing itself may have entries below it, which a list of the path alone does not show. */
async function hintBelow(connection: ServiceConnection, { command, input, text }: AnsweredCommand) {
  const { entity_path, include_descendants, branch } = input;
  const asked = LISTS.includes(command.name) && typeof entity_path === 'string' && include_descendants !== true;
  if (!asked || entity_path.includes('*') || input.cursor !== undefined) return '';
  const found = readAnswer(command.name, text)[listField(command.name) ?? ''];
  if (!Array.isArray(found) || found.length > 0) return '';
  const below = { entity_path, include_descendants: true, fields: 'meta', limit: 1, ...(branch ? { branch } : {}) };
  const { entries } = await connection
    .call('entries.list', below)
    .then((text) => JSON.parse(text) as Output<'entries.list'>, noAnswer);
  return entries.length > 0 ? `there are entries below ${entity_path}: add --include-descendants\n` : '';
}

const noAnswer = () => ({ entries: [] });

/** An entry that was deleted is not found, and its history says so to those who may see it. */
export async function explainMissing(
  connection: ServiceConnection,
  { command, input }: Omit<AnsweredCommand, 'text'>,
  error: unknown,
): Promise<unknown> {
  const { entity_path, key, branch, version, as_of } = input;
  const problem = problemOf(error);
  const isCurrent = version === undefined && as_of === undefined;
  if (command.name !== 'entries.read' || problem.code !== 'not_found' || !isCurrent) return error;
  const [last] = await connection
    .call('entries.history', { entity_path, key, limit: 1, ...(branch ? { branch } : {}) })
    .then((text) => (JSON.parse(text) as Output<'entries.history'>).versions)
    .catch(() => []);
  if (last?.deleted !== true) return error;
  const back = ['mem restore-version', ...[last.entity_path, last.key].map(shellText)].join(' ');
  return new Fault('not_found', `${problem.detail}: it was deleted. ${back} brings it back`, { entity_path, key });
}

/** A second proposal is an answer to the first one, and has to say so. */
export function explainProposal({ command, input }: Omit<AnsweredCommand, 'text'>, error: unknown): unknown {
  const { code, detail, negotiation_id } = problemOf(error);
  const isSecond = code === 'conflict' && detail.startsWith('there is a proposal already');
  if (command.name !== 'negotiations.propose' || !isSecond) return error;
  const ids = [input.room_id, input.negotiation_id].map(shellText).join(' ');
  const negotiate = `mem negotiate ${ids}`;
  return new Fault(
    code,
    `there is a proposal already: ${negotiate} accept answers it (or reject, or abstain), and ${negotiate} counter --proposal <json> counters it`,
    { negotiation_id },
  );
}

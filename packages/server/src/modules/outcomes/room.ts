import { boundsOfAccount, bytesOfTexts, requireRoom, type Work } from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import type { SessionReport } from '../traces/index.ts';
import type { OutcomeInput } from './causes.ts';
import type { WeighedCauses } from './evidence.ts';

/** Named causes that count for nothing: an outcome with them is worth more than the room that they take in its trace. */
const FREE_CAUSES = 100;

/** The bytes that outcomes of one batch bring; they are counted when their traces are saved. */
export type BroughtBytes = { brought: number };

/**
 * Refuses an outcome whose own report the plan has no room for. What its session recorded before was counted then, and an
 * outcome that reports nothing is always taken.
 */
export async function requireRoomForReport(
  work: Work,
  batch: BroughtBytes,
  { input, report, weighed }: { input: OutcomeInput; report: SessionReport; weighed: WeighedCauses },
): Promise<void> {
  if (boundsOfAccount(work).storage_bytes === null) return;
  const bytes = (await bytesOfReport(input, report)) + bytesOfCopies(input, weighed);
  if (bytes === 0) return;
  requireRoom(work, { bytes: batch.brought + bytes });
  batch.brought += bytes;
}

/** A branch stores what it inherits once more before it judges it. */
const bytesOfCopies = ({ branch }: OutcomeInput, { live }: WeighedCauses): number =>
  [...live].reduce((sum, entry) => sum + (entry.branch === branch ? 0 : Buffer.byteLength(entry.document)), 0);

async function bytesOfReport(input: OutcomeInput, { header, parts }: SessionReport): Promise<number> {
  const { task_input, response_text, decision_summary, session_metadata } = header;
  const { attributes = {} } = input.session_metadata;
  const causes = [...(input.causal_entry_keys ?? []), ...(input.used ?? [])].slice(FREE_CAUSES);
  const given = [input.attributes, attributes ?? {}, session_metadata, causes];
  const documents = given.filter((one) => Object.keys(one).length > 0);
  let bytes = bytesOfTexts([task_input, response_text, decision_summary]);
  for (const document of [...documents, ...parts.map(({ data }) => data)]) {
    bytes += Buffer.byteLength(JSON.stringify(document));
    await pause();
  }
  return bytes;
}

import { createReadStream, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Environment } from '../../config.ts';
import type { HookInput } from './index.ts';
import { lastReminder, saveReminder } from './reminders.ts';

/** Only the last part of longer transcripts is read. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Tools that leave records in the session which an outcome would seal. */
const USES = /^mem_(read|search|recall|read_from|write|commit_batch|record_\w+|start_span|set_trace_attributes)$/;
const SEALS = 'mem_commit_outcome';

type TranscriptBlock = { type?: string; id?: string; name?: string; tool_use_id?: string; is_error?: boolean };

/** The memory calls since the last outcome, and the piece of work that they belong to. */
export type OpenWork = { calls: number; work: string };

/**
 * Reminds a session that used memory without an outcome. It reminds once per piece of work, and never while the client
 * continues because of a reminder.
 */
export async function outcomeReminder(input: HookInput, env: Environment) {
  const { session_id, transcript_path, stop_hook_active } = input;
  if (stop_hook_active || !session_id || !transcript_path) return undefined;
  const { calls, work } = await readTranscript(transcript_path);
  if (calls === 0 || lastReminder(env, session_id) === work) return undefined;
  // Without a saved reminder none is shown: no reminder is better than one that repeats forever.
  saveReminder(env, session_id, work);
  return {
    decision: 'block',
    reason:
      `This session has used memory (${calls} ${calls === 1 ? 'call' : 'calls'}) and no outcome was committed since. If the task ` +
      'is done or has failed, save what will matter again with mem_write and call mem_commit_outcome with a reference, ' +
      'how it really went, the task and the result. If it is not over yet, or there is nothing to say, just end again.',
  };
}

export async function readTranscript(file: string): Promise<OpenWork> {
  const start = Math.max(0, statSync(file).size - MAX_BYTES);
  const lines = createInterface({ input: createReadStream(file, { start }), crlfDelay: Number.POSITIVE_INFINITY });
  const open = new Set<string>();
  let sealing: { id: string; open: string[]; work: string } | undefined;
  let work = 'start';
  for await (const line of lines) {
    // Most lines are long and unrelated.
    if (!line.includes('mem_') && !line.includes('is_error')) continue;
    for (const { type, id = '', name = '', tool_use_id, is_error } of blocksOf(line)) {
      const tool = type === 'tool_use' ? /^mcp__.*__(mem_\w+)$/.exec(name)?.[1] : undefined;
      if (tool !== undefined && USES.test(tool)) open.add(id);
      if (tool === SEALS) {
        sealing = { id, open: [...open], work };
        open.clear();
        work = id;
      }
      if (type !== 'tool_result' || !is_error) continue;
      // A failed call is neither a use nor an outcome.
      open.delete(tool_use_id ?? '');
      if (sealing !== undefined && tool_use_id === sealing.id) {
        for (const one of sealing.open) open.add(one);
        work = sealing.work;
      }
    }
  }
  return { calls: open.size, work };
}

function blocksOf(line: string): TranscriptBlock[] {
  try {
    const { message } = JSON.parse(line) as { message?: { content?: unknown } };
    return Array.isArray(message?.content) ? (message.content as TranscriptBlock[]) : [];
  } catch {
    return [];
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '../failure.ts';
import type { Stdin } from '../input.ts';
import type { OwnParts } from '../own/command.ts';
import type { ParsedFlags } from '../parse.ts';
import { briefing } from './briefing.ts';
import { deleteOldReminders } from './reminders.ts';
import { outcomeReminder } from './stop.ts';

/** The part of Claude Code's hook input that is used here. */
export type HookInput = {
  session_id?: string;
  transcript_path?: string;
  cwd?: string;
  stop_hook_active?: boolean;
};

/** A client waits for this program, so it ends in time even if the service does not answer. */
const DEADLINE_MS = 5000;
const STDIN_MS = 1000;

export async function runHook(given: ParsedFlags, parts: OwnParts): Promise<void> {
  setTimeout(() => process.exit(0), DEADLINE_MS).unref();
  const [event] = given.get('event') ?? [];
  const input = await readHookInput(parts.terminal.stdin);
  const answer = await answerTo(event, input, { given, parts });
  if (answer !== undefined) parts.terminal.out(`${JSON.stringify(answer)}\n`);
}

async function answerTo(
  event: string | undefined,
  input: HookInput,
  { given, parts }: { given: ParsedFlags; parts: OwnParts },
) {
  const env = parts.readEnvironment();
  if (event === 'stop') return outcomeReminder(input, env);
  if (event !== 'session-start') throw new UsageError('give session-start or stop');
  deleteOldReminders(env);
  const [[url], [folder]] = [given.get('url') ?? [], given.get('data-dir') ?? []];
  const cwd = input.cwd ?? parts.readProcessStart().folder;
  const memory = await parts.openMemory(
    {
      ...env,
      ...(url ? { MEM_HTTP_URL: url } : {}),
      ...(folder ? { MEM_DATA_DIR: folder } : {}),
      MEM_TRACK_READS: 'off',
    },
    // The folder that the client started its MCP servers in; the session may have moved to another.
    { client: 'claude-code', folder: env.CLAUDE_PROJECT_DIR || cwd },
  );
  try {
    const additionalContext = await briefing(memory, cwd);
    if (additionalContext === undefined) return undefined;
    return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext } };
  } finally {
    await memory.close();
  }
}

async function readHookInput(stdin: Stdin): Promise<HookInput> {
  if (stdin.isTTY) return {};
  const chunks: Uint8Array[] = [];
  const read = async () => {
    for await (const chunk of stdin) chunks.push(chunk);
  };
  await Promise.race([read(), sleep(STDIN_MS, undefined, { ref: false })]);
  const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}');
  return typeof parsed === 'object' && parsed !== null ? parsed : {};
}

import { type JsonPath, valueAt } from './jsonc.ts';
import { appendJson, removeJson, setJson } from './jsonc-edit.ts';

/** The commands that Claude Code runs at the start and the end of a session. */
export type ClaudeHookCommands = { SessionStart: string; Stop: string };

const EVENTS = ['SessionStart', 'Stop'] as const;
/** A resumed session already has its briefing. */
const MATCHERS: Partial<Record<(typeof EVENTS)[number], string>> = { SessionStart: 'startup|clear|compact' };
const TIMEOUT_SECONDS = 10;

const isOurs = (command: unknown): boolean =>
  typeof command === 'string' && /(mem\.js|@mem-service\/(cli|server))"? hook (session-start|stop)\b/.test(command);

type HookGroup = { hooks?: { command?: unknown }[] };
type FoundHook = { group: number; hook: number; command: unknown; isOnlyHook: boolean };

function find(text: string, event: string): FoundHook | undefined {
  const groups = valueAt(text, ['hooks', event]);
  if (!Array.isArray(groups)) return undefined;
  return (groups as HookGroup[])
    .flatMap(({ hooks }, group) =>
      (Array.isArray(hooks) ? hooks : []).map((one, hook, all) => ({
        group,
        hook,
        command: one?.command,
        isOnlyHook: all.length === 1,
      })),
    )
    .find(({ command }) => isOurs(command));
}

export function setHooks(text: string, wanted: ClaudeHookCommands): string {
  return EVENTS.reduce((edited, event) => {
    const found = find(edited, event);
    const command = wanted[event];
    if (found?.command === command) return edited;
    if (found) return setJson(edited, ['hooks', event, found.group, 'hooks', found.hook, 'command'], command);
    const matcher = MATCHERS[event];
    const hook = { type: 'command', command, timeout: TIMEOUT_SECONDS };
    return appendJson(edited, ['hooks', event], { ...(matcher ? { matcher } : {}), hooks: [hook] });
  }, text);
}

export function removeHooks(text: string): string {
  return EVENTS.reduce((edited, event) => {
    const found = find(edited, event);
    if (!found) return edited;
    const group: JsonPath = ['hooks', event, found.group];
    return removeJson(edited, found.isOnlyHook ? group : [...group, 'hooks', found.hook]);
  }, text);
}

/** Members that may have been created for the hooks, innermost first. */
export const hookPaths: readonly (readonly string[])[] = [...EVENTS.map((event) => ['hooks', event]), ['hooks']];

export const hookCommands = (text: string): string[] =>
  EVENTS.flatMap((event) => {
    const command = find(text, event)?.command;
    return typeof command === 'string' ? [command] : [];
  });

import { fromIso, invalidInput } from '@mem-service/server/module';

/** Until when something is to be muted; null: not any more. */
export function mutedUntil({ until }: { until: string | null }, now: number): number | null {
  if (until === null) return null;
  const at = fromIso(until);
  if (at <= now) throw invalidInput([{ path: 'until', message: 'is not in the future; null ends it now' }]);
  return at;
}

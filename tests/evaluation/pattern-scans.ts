import type { Output } from '@mem-service/contract';
import { caughtUp } from '../briefing/caught-up.ts';
import type { TestApp } from '../support/app.ts';

type FoundPattern = Output<'detected_patterns.list'>['patterns'][number];

/** Scans, and waits until it is done. */
export async function scanned(app: TestApp, input: object = {}, as = {}): Promise<Output<'pattern_scans.read'>> {
  await caughtUp(app);
  const { scan_id } = await app.call('pattern_scans.create', input as never, as);
  await caughtUp(app);
  return app.call('pattern_scans.read', { scan_id }, as);
}

export async function patternsIn(app: TestApp, input: object = {}, as = {}): Promise<FoundPattern[]> {
  const { patterns } = await app.call('detected_patterns.list', { limit: 1000, ...input } as never, as);
  return patterns;
}

/** What a pattern is about. */
export const subjectOf = ({ entity_path, agent_id, branch }: FoundPattern): string => entity_path ?? agent_id ?? branch;

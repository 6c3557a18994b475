import type { judgeShapes } from '@mem-service/server/module';
import { type CheckFinding, type Matchers, plain, unless } from './finding.ts';
import type { JudgedTrace } from './judged-trace.ts';

type MemoryCheck = Extract<judgeShapes.SimpleCheck, { check: 'memory_read' | 'memory_not_read' }>;

/** Matching a path takes as long as looking at some values. */
const LOOKS_PER_READ = 5;

export function checkMemory(check: MemoryCheck, trace: JudgedTrace, matchers: Matchers): CheckFinding {
  const { entity_path, key, version } = check;
  matchers.look(trace.reads.length * LOOKS_PER_READ);
  const read = trace.reads.filter(
    (one) =>
      matchers.path(entity_path, one.entity_path) &&
      (key === undefined || one.key === key) &&
      (version === undefined || one.version === version),
  );
  const named = [entity_path, ...(key === undefined ? [] : [key])].join('/');
  const what = version === undefined ? named : `version ${version} of ${named}`;
  const entries = read.map(({ entry_id, version }) => ({ entry_id, version }));
  const isRead = read.length > 0;
  const holds = check.check === 'memory_read' ? isRead : !isRead;
  const reason = `${what} was ${isRead ? '' : 'not '}read`;
  return { ...plain(isRead ? holds : unless(trace.is_partial, holds), reason), entries };
}

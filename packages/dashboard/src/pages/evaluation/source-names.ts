import { useInstalled } from '../../data/installed.ts';
import { useOperation } from '../../data/query.ts';

const MOST = { limit: 100 };
const JUDGES = { name: 'judges.list', input: { limit: 1 } } as const;
const BEHAVIORS = { name: 'behaviors.list', input: { limit: 1 } } as const;

/** What finds that a trace fails. */
export type SourceKind = 'judge' | 'behavior';

/** What judges and behaviors are called. One that is not listed, or that the key may not see, goes by its id. */
export function useSourceNames(): (kind: SourceKind, id: string) => string {
  const installed = useInstalled([JUDGES, BEHAVIORS]);
  const judges = useOperation('judges.list', MOST, { enabled: installed.get('judges.list') === true });
  const behaviors = useOperation('behaviors.list', MOST, { enabled: installed.get('behaviors.list') === true });
  const names = {
    judge: new Map(judges.data?.judges.map(({ judge_id, name }) => [judge_id, name])),
    behavior: new Map(behaviors.data?.behaviors.map(({ behavior_id, name }) => [behavior_id, name])),
  };
  return (kind, id) => names[kind].get(id) || id;
}

export const useSourceName = (kind: SourceKind, id: string): string => useSourceNames()(kind, id);

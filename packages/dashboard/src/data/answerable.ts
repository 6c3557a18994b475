import { isMemError } from './client.ts';
import { queryClient, questionOf } from './query.ts';
import { serviceUrl } from './service-url.ts';

/** What the service says of itself and of the key, without a call that is metered or counted. */
export type Answerable = {
  /** The modules that are installed; undefined where the service does not say. */
  modules: ReadonlySet<string> | undefined;
  /** Nothing that admins of the account may ask is refused. */
  asksEverything: boolean;
};

const FRESH_MS = 5 * 60_000;

export const readAnswerable = (): Promise<Answerable> =>
  queryClient.fetchQuery({
    queryKey: ['answerable'],
    queryFn: async () => {
      const [modules, asksEverything] = await Promise.all([listModules(), mayAskEverything()]);
      return { modules, asksEverything };
    },
    staleTime: FRESH_MS,
  });

async function listModules(): Promise<ReadonlySet<string> | undefined> {
  try {
    const answer = await fetch(serviceUrl(), { headers: { accept: 'application/json' }, cache: 'no-store' });
    const { modules } = (await answer.json()) as { modules?: unknown };
    return Array.isArray(modules) ? new Set(modules) : undefined;
  } catch {
    return undefined;
  }
}

/** A service without keys has no other owner than who reaches it. */
async function mayAskEverything(): Promise<boolean> {
  try {
    const { account, key } = await queryClient.fetchQuery(questionOf('me.read', {}));
    if (key === null) return true;
    const { key_type, scopes, entity_paths, agent_ids, member_id, default_branch } = key;
    const isWhole = scopes.some(({ pattern, permission }) => pattern === '*' && permission === 'READ_WRITE');
    const isBound = [...entity_paths, ...agent_ids].length > 0 || member_id !== null || default_branch !== null;
    return account.status === 'active' && key_type === 'admin' && isWhole && !isBound;
  } catch (error) {
    if (isMemError(error) && error.status !== 0 && error.status !== 401) return false;
    throw error;
  }
}

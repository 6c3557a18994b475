import { type HookContext, type Hooks, invalidInput, type Lineage, MAIN_BRANCH } from '@mem-service/server/module';
import { getTag } from './queries.ts';
import { tagNameOf } from './rules.ts';

/** Operations that show entries, and can show them as they were. Any other would answer as if there were nothing. */
const SHOW_THE_PAST: ReadonlySet<string> = new Set(['entries.read', 'entries.list']);

const MAX_REMEMBERED = 10_000;

/** A tag never changes: once its place is known, it need not be looked up again. */
class TagPlaces {
  readonly #lineages = new Map<string, Lineage>();

  get(accountId: string, name: string): Lineage | undefined {
    return this.#lineages.get(`${accountId} ${name}`);
  }

  remember(accountId: string, name: string, seq: number): Lineage {
    if (this.#lineages.size >= MAX_REMEMBERED) this.#lineages.clear();
    const lineage: Lineage = [{ branch: MAIN_BRANCH, up_to_seq: seq }];
    this.#lineages.set(`${accountId} ${name}`, lineage);
    return lineage;
  }
}

export function createHooks(): Hooks {
  const places = new TagPlaces();

  async function find(name: string, { account_id, read }: HookContext): Promise<Lineage | undefined> {
    const tag = await getTag(read, account_id, name);
    return tag && places.remember(account_id, name, tag.seq);
  }

  return {
    lineage(branch, context) {
      const name = tagNameOf(branch);
      if (name === undefined) return undefined;
      return places.get(context.account_id, name) ?? find(name, context);
    },

    authorize(operation, { branch }) {
      if (typeof branch !== 'string' || tagNameOf(branch) === undefined || SHOW_THE_PAST.has(operation)) return;
      throw invalidInput([{ path: 'branch', message: `is a tag, and ${operation} cannot show the past` }]);
    },

    committed(events, accountId) {
      for (const { event_type, details } of events) {
        if (event_type !== 'tag_created') continue;
        const { tag, seq } = JSON.parse(details) as { tag: string; seq: number };
        places.remember(accountId, tag, seq);
      }
    },
  };
}

import { Fault, type HookContext, type Hooks, type Lineage, MAIN_BRANCH } from '@mem-service/server/module';
import { getTag, hasTags } from './queries.ts';
import { tagNameOf } from './rules.ts';

const MAX_TAGS = 10_000;
const MAX_REMEMBERED = 10_000;

/** Caches the `seq` of tags: a tag never changes. */
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

/** Limits the number of tags, because nothing removes them. */
async function refuseMore({ account_id, read }: HookContext): Promise<void> {
  if (await hasTags(read, account_id, MAX_TAGS))
    throw new Fault('conflict', `the account has ${MAX_TAGS} tags, and can have no more`, { max_tags: MAX_TAGS });
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

    authorize(operation, _input, context) {
      return operation === 'tags.create' ? refuseMore(context) : undefined;
    },

    committed(events, accountId) {
      for (const { event_type, details } of events) {
        if (event_type !== 'tag_created') continue;
        const { tag, tag_seq } = JSON.parse(details) as { tag: string; tag_seq: number };
        places.remember(accountId, tag, tag_seq);
      }
    },
  };
}

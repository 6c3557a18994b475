import { Fault, type HookContext, type Hooks } from '@mem-service/server/module';
import { hasTags } from './queries.ts';

const MAX_TAGS = 10_000;

async function refuseMore({ account_id, read }: HookContext): Promise<void> {
  if (await hasTags(read, account_id, MAX_TAGS))
    throw new Fault('conflict', `the account has ${MAX_TAGS} tags, and can have no more`, { max_tags: MAX_TAGS });
}

export const createHooks = (): Hooks => ({
  authorize: (operation, _input, context) => (operation === 'tags.create' ? refuseMore(context) : undefined),
});

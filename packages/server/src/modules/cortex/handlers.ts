import { parseGlob } from '@mem-service/contract';
import { cursorsOf, type Handlers, looksAt, reads, WHOLE_ACCOUNT } from '../../kernel/index.ts';
import { listDigests } from './read-digests.ts';
import { recompile } from './recompile.ts';
import type { DigestType } from './rules/cited.ts';
import { cortexActivity, cortexStatus } from './status.ts';

const cursors = cursorsOf('digests.list', ['string', 'string']);

const list = reads<'digests.list'>(async (context, input) => {
  const [digest_type, scope] = input.cursor === undefined ? [] : cursors.from(input.cursor);
  const after =
    digest_type === undefined || scope === undefined ? undefined : { digest_type: digest_type as DigestType, scope };
  const { digests, next } = await listDigests(context, {
    types: input.digest_type && [input.digest_type],
    scopes: input.scope === undefined ? undefined : [input.scope],
    paths: input.entity_path === undefined ? undefined : parseGlob(input.entity_path),
    after,
    limit: input.limit,
  });
  const next_cursor = next ? cursors.to([next.digest_type, next.scope]) : null;
  return { digests, total: digests.length, next_cursor, has_more: next !== undefined };
});

export const handlers: Handlers = {
  'digests.list': list,
  'cortex.status': looksAt(() => WHOLE_ACCOUNT, reads(cortexStatus)),
  'cortex.activity': looksAt(
    () => WHOLE_ACCOUNT,
    reads((context, { limit }) => cortexActivity(context, limit)),
  ),
  'cortex.recompile': recompile,
};

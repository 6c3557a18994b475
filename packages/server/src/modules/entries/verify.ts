import { type Glob, parseGlob } from '@mem-service/contract';
import type { Sql, StorageError } from '../../db/index.ts';
import { cursorsOf, globConditions, pageBytes, type ReadContext, reads } from '../../kernel/index.ts';
import { isDamage, type PassedDamage, passDamage, unlisted } from './damage.ts';
import { Verification } from './verification.ts';
import { listVersionsInOrder, type NamedVersion, type VersionPosition } from './version-queries.ts';

const CHUNK = 500;
/** Few enough that other requests get their turn: a document is parsed and hashed. */
const CHUNK_BYTES = 1024 * 1024;

/** About as much as a problem takes in an answer. */
const PROBLEM_BYTES = 1024;

const versionCursors = cursorsOf('entries.verify', ['string', 'string', 'number']);

type VerifyWalk = {
  context: ReadContext;
  verification: Verification;
  where: readonly Sql[];
  position: VersionPosition | undefined;
  more: boolean;
  /** Nothing can be read from the position on. */
  isBlocked: boolean;
  /** After damage, so many versions are read one by one, until the damaged one is found. */
  single: number;
};

/** Checks some versions, up to a limit. */
async function walkOn(walk: VerifyWalk, left: number): Promise<void> {
  const { context, verification, where, position: after } = walk;
  const limit = walk.single > 0 ? 1 : Math.min(CHUNK, left);
  const undo = verification.mark();
  try {
    const page = { where, after, limit, bytes: CHUNK_BYTES };
    const { rows, more } = await listVersionsInOrder(context.scan, context.view, page);
    await verification.add(rows, where);
    const last = rows.at(-1);
    if (last) walk.position = [last.entity_path, last.key, last.version ?? Number.MAX_SAFE_INTEGER];
    walk.more = more || rows.length === limit;
    walk.single = Math.max(0, walk.single - 1);
  } catch (error) {
    if (!isDamage(error)) throw error;
    undo();
    if (limit > 1) {
      walk.single = CHUNK;
      return;
    }
    const passed = await passDamage(context, { where, after }, error);
    await check(walk, passed, error);
    walk.single--;
    walk.more = passed.position !== undefined;
    walk.isBlocked = !walk.more && passed.damaged.length > 0;
    walk.position = passed.position;
  }
}

/** Goes on behind an entry that was read version by version. */
async function check({ verification, where }: VerifyWalk, { damaged, rows }: PassedDamage, error: StorageError) {
  if (rows.length === 0) return verification.pass(damaged);
  const undo = verification.mark();
  try {
    await verification.add(rows, where);
  } catch (failed) {
    if (!isDamage(failed)) throw failed;
    undo();
    const { entity_path, key } = rows[0] as NamedVersion;
    verification.pass([{ entity_path, key, version: null, detail: `cannot be read as a whole: ${error.why}` }]);
  }
}

async function end({ verification, isBlocked }: VerifyWalk, glob: Glob | undefined): Promise<void> {
  if (isBlocked) return;
  try {
    await verification.end(glob);
  } catch (error) {
    if (!isDamage(error)) throw error;
    if (verification.report.damaged === undefined) verification.pass([unlisted(error)]);
  }
}

export const verify = reads<'entries.verify'>(async (context, input) => {
  const glob = input.entity_path === undefined ? undefined : parseGlob(input.entity_path);
  const verification = new Verification(context);
  const position = input.cursor === undefined ? undefined : versionCursors.from(input.cursor);
  const where = globConditions(glob);
  const walk: VerifyWalk = { context, verification, where, position, more: true, isBlocked: false, single: 0 };
  if (position) await verification.resume(position);
  // Counts only entries that the caller may see, so that a page ends at an entry whose name the cursor may hold.
  const found = () => verification.report.total_checked + (verification.report.damaged?.length ?? 0);
  // Problems are few, unless a store is damaged throughout.
  const isRoom = () => verification.problems * PROBLEM_BYTES < pageBytes(context.services);
  while (walk.more && found() < input.limit && isRoom()) await walkOn(walk, input.limit - found());
  if (!walk.more) await end(walk, glob);
  const isMore = walk.more && walk.position !== undefined;
  const next_cursor = isMore && walk.position ? versionCursors.to(walk.position) : null;
  return { ...verification.report, has_more: walk.more, next_cursor };
});

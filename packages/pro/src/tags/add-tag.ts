import { bytesOfTexts, EVERYONE, Fault, storeMore, type Work } from '@mem-service/server/module';
import { getTag, insertTag, type TagRow } from './queries.ts';

type TagEvent = Pick<TagRow, 'name' | 'branch' | 'seq' | 'agent_id'> & { session: string };
type NewTag = TagEvent & Pick<TagRow, 'description'> & Partial<Pick<TagRow, 'is_kept'>>;

/** Appends to the log what happened to a tag. */
export function emitTag(work: Work, tag: TagEvent, event_type: 'tag_created' | 'tag_deleted'): number {
  const { name, branch, seq, agent_id, session } = tag;
  return work.emit({
    event_type,
    agent_id,
    branch,
    entity_path: null,
    key: null,
    version: null,
    visible_to: EVERYONE,
    details: { tag: name, tag_seq: seq },
    session,
  });
}

/** Names a state of a branch, in the transaction of the caller. */
export async function addTag(work: Work, { session, is_kept = 0, ...tag }: NewTag): Promise<TagRow> {
  const { account_id } = work;
  const { name, description } = tag;
  if (await getTag(work.tx, account_id, name))
    throw new Fault('conflict', `there is a tag ${JSON.stringify(name)} already`, { name });
  storeMore(work, bytesOfTexts([name, description]));
  const created_seq = emitTag(work, { ...tag, session }, 'tag_created');
  const row = { account_id, ...tag, is_kept, created_seq, created_at: work.now };
  work.send(work.tx.insertMany(insertTag, [row]));
  return row;
}

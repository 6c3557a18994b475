import { bytesOfTexts, EVERYONE, Fault, storeMore, type Work } from '@mem-service/server/module';
import { getTag, insertTag, type TagRow } from './queries.ts';

type NewTag = Pick<TagRow, 'name' | 'description' | 'branch' | 'seq' | 'agent_id'> & { session: string };

/** Names a place in the log, in the transaction of the caller. */
export async function addTag(work: Work, { session, ...tag }: NewTag): Promise<TagRow> {
  const { account_id } = work;
  const { name, description, branch, seq, agent_id } = tag;
  if (await getTag(work.tx, account_id, name))
    throw new Fault('conflict', `there is a tag ${JSON.stringify(name)} already`, { name });
  storeMore(work, bytesOfTexts([name, description]));
  const created_seq = work.emit({
    event_type: 'tag_created',
    agent_id,
    branch,
    entity_path: null,
    key: null,
    version: null,
    visible_to: EVERYONE,
    details: { tag: name, tag_seq: seq },
    session,
  });
  const row = { account_id, ...tag, created_seq, created_at: work.now };
  work.send(work.tx.insertMany(insertTag, [row]));
  return row;
}

import { passagesOf, savePassages } from '../../packages/pro/src/room-documents/passages.ts';
import { type RoomDocumentRow, upsertDocument } from '../../packages/pro/src/room-documents/queries.ts';
import { accountOfRoom, sha256, unchanged } from '../../packages/server/src/module.ts';
import { caller, type TestApp } from '../support/app.ts';
import type { ExampleSetup, KnownIds } from './table.ts';

type LaidDocuments = {
  names: readonly string[];
  content: (i: number) => string;
};

/** Documents of the known room whose texts were read. */
export async function layDocuments(
  app: TestApp,
  { as, known }: Pick<ExampleSetup, 'as'> & { known: KnownIds },
  { names, content }: LaidDocuments,
): Promise<void> {
  const account_id = accountOfRoom(known.room_id as string);
  const { agent_id } = caller(as);
  for (const [i, name] of names.entries()) {
    const text = content(i);
    const document_id = `doc_${sha256(name).slice(0, 16)}`;
    await app.kernel.work(caller({ account_id }), 'room-documents.read', async (work) => {
      const row: RoomDocumentRow = {
        ...{ account_id, document_id, name, title: name, format: 'markdown', version: 1, readable_version: 1 },
        ...{ status: 'ready', reason: null, message: null, bytes: text.length, sha256: sha256(text) },
        ...{ page_count: 1, char_count: text.length, agent_id: `${agent_id}@platform-team` },
        added_by: `${agent_id}@platform-team`,
        ...{ created_at: work.now, updated_at: work.now, stored_bytes: text.length },
      };
      await work.tx.insertMany(upsertDocument, [row]);
      await savePassages(work, { document_id, version: 1 }, await passagesOf([text]));
      return unchanged({});
    });
    known.document_id = document_id;
  }
}

import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileProblem, UsageError } from '../failure.ts';
import { field, toggle } from '../fields.ts';
import { identityFlags, ownCommand } from './command.ts';
import { runOperation } from './operation.ts';

/** The service takes no larger file. */
const MAX_BYTES = 5 * 1024 * 1024;

export const addDocument = ownCommand({
  word: 'add-document',
  pair: 'room add-document',
  module: 'room-documents',
  summary: 'Add a file to a room: text, Markdown, PDF or Word',
  about:
    'Its text is read afterwards: mem show-document says how that went. The same content changes nothing, another is a new version.',
  args: [
    field('room-id', 'The room.', { name: 'room_id', required: true }),
    field('file', 'The file: .txt, .log, .md, .pdf or .docx.', { required: true }),
  ],
  flags: [
    field('title', 'What the document is called. Default: the name of the file.'),
    toggle('json', 'Print the answer as JSON.'),
    ...identityFlags,
  ],
  examples: [
    ['mem add-document release-planning-k3x9q2 plan.pdf', 'for everyone in the room'],
    ['mem add-document release-planning-k3x9q2 plan.pdf --title "The plan"', 'with a title'],
  ],
  async run(given, parts) {
    const [room_id, file] = [given.get('room-id')?.[0], given.get('file')?.[0]];
    if (room_id === undefined) throw new UsageError('room_id is missing: see mem help add-document');
    if (file === undefined) throw new UsageError('file is missing: see mem help add-document');
    const content = (await readBytes(file)).toString('base64');
    const input = { room_id, name: basename(file), content, encoding: 'base64', title: given.get('title')?.[0] };
    return runOperation(parts, given, { name: 'room_documents.add', input });
  },
});

async function readBytes(file: string): Promise<Buffer> {
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES) throw new UsageError(`${file} is larger than ${MAX_BYTES} bytes`);
    return await readFile(file);
  } catch (error) {
    throw error instanceof UsageError ? error : fileProblem(error, file);
  }
}

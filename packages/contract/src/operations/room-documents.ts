import * as z from 'zod';
import { nth, operation } from '../operation.ts';
import * as r from '../room-shapes.ts';
import * as s from '../shapes.ts';

/** Base64 of 5 MiB. */
const MAX_CONTENT_CHARS = 6_990_508;
const MAX_FOUND = 50;

function documentNameProblem(name: string): string | undefined {
  if (/[/\\]/.test(name)) return 'must be the name of a file, without its folder';
  return undefined;
}

const documentName = s
  .label(200)
  .superRefine((name, ctx) => {
    const message = documentNameProblem(name);
    if (message) ctx.addIssue({ code: 'custom', message });
  })
  .meta({
    description: 'The name of the file. Its end says the format: `.txt`, `.log`, `.md`, `.pdf` or `.docx`.',
    examples: ['release-plan.md'],
  });

const documentId = z
  .string()
  .max(64)
  .regex(/^doc_[0-9a-f]{16}$/, 'must be the id of a document')
  .meta({ description: 'Which document.', examples: ['doc_3f9a1c7e5b2d8046'] });

const title = s.text(200).meta({ description: 'What the document is called.' });
const status = z.enum(['pending', 'ready', 'failed']).meta({
  description: '`pending` until the text was read, then `ready`, or `failed` with the reason.',
});

const roomDocument = z
  .object({
    document_id: documentId,
    room_id: r.roomId,
    name: z.string(),
    title,
    format: z.enum(['text', 'markdown', 'pdf', 'docx']),
    version: z.int().meta({ description: 'One more with each content that differs from the one before.' }),
    status,
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why the text was not read, such as `encrypted`, `no_text` or `credentials`.' }),
    message: z.string().nullable().meta({ description: 'The reason in a sentence.' }),
    readable_version: z
      .int()
      .nullable()
      .meta({ description: 'The version whose text is shown and found: the newest that could be read.' }),
    bytes: z.int(),
    sha256: z.string().meta({ description: 'SHA-256 of the content.' }),
    page_count: z.int().nullable(),
    char_count: z.int().nullable(),
    agent_id: z.string().meta({ description: 'Who added the newest version, as the room calls it.' }),
    added_by: z.string().meta({ description: 'Who added the first version, and may delete the document.' }),
    created_at: s.utc,
    updated_at: s.utc,
  })
  .meta({ id: 'RoomDocument', description: 'A file that a room has, and how far its text was read.' });

const page = z.int().min(1).meta({ description: 'The number of a page; the first is 1.' });
const actingAgent = s.agentId.optional().meta({ description: 'The agent; by default that of the request.' });
const errors = ['room_not_found', 'forbidden', 'module_not_installed'] as const;
const example = { room_id: 'release-planning-k3x9q2' };
const exampleDocument = { ...example, document_id: 'doc_3f9a1c7e5b2d8046' };

export const roomDocuments = {
  'room_documents.add': operation({
    summary: 'Add a document to a room',
    description:
      'A file of plain text, Markdown, PDF or Word, up to 5 MiB. Its text is read afterwards; `status` says how that went. The same ' +
      'content under the same name changes nothing, another one is the next version.',
    module: 'room-documents',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    in_room: 'agent',
    http: { method: 'POST', path: '/api/v1/rooms/{room_id}/documents', status: 202 },
    cli: { hidden: true },
    tools: [
      {
        name: 'mem_room_add_document',
        toolset: 'rooms',
        description: 'Add a text, Markdown, PDF or Word file to a room for everyone in it.',
        fields: ['room_id', 'name', 'content', 'encoding', 'title'],
        about: {
          name: 'File name, e.g. plan.md',
          content: 'The text, or base64 of a PDF or Word file',
          encoding: 'utf8 or base64',
          title: 'What it is called',
        },
      },
    ],
    input: () =>
      z.strictObject({
        room_id: r.roomId,
        name: documentName,
        content: z.string().max(MAX_CONTENT_CHARS).meta({ description: 'What is in the file.' }),
        encoding: z
          .enum(['utf8', 'base64'])
          .default('utf8')
          .meta({ description: 'How the content is given. A PDF or Word file has to be in Base64.' }),
        title: title.optional().meta({ description: 'What the document is called; by default the name of the file.' }),
        agent_id: actingAgent,
      }),
    output: () => roomDocument,
    errors: [...errors, 'conflict'],
    example: (n) => ({ ...example, name: `${nth('release-plan', n)}.md`, content: 'Ship on Monday.' }),
  }),

  'room_documents.list': operation({
    summary: 'List the documents of a room',
    description: 'In the order of their ids, without their texts.',
    module: 'room-documents',
    effect: 'read',
    cost: 1,
    in_room: 'agent',
    http: { method: 'GET', path: '/api/v1/rooms/{room_id}/documents' },
    cli: { args: ['room_id'], alias: 'room-documents', also: ['room documents'] },
    tools: [
      {
        name: 'mem_room_documents',
        toolset: 'rooms',
        description: 'List the documents of a room and whether their text is ready.',
        fields: ['room_id'],
        unlisted: ['limit', 'cursor'],
        limit: 20,
      },
    ],
    input: () => z.strictObject({ room_id: r.roomId, limit: s.limit, cursor: s.cursor }),
    output: () => z.object({ documents: z.array(roomDocument), ...s.page }),
    errors: [...errors, 'invalid_cursor'],
    example: () => example,
  }),

  'room_documents.search': operation({
    summary: 'Search the documents of rooms',
    description:
      'Passages with these words, the best first, from all rooms that the agent has joined or from one. Among many passages the newest are ' +
      'compared.',
    module: 'room-documents',
    effect: 'read',
    cost: 1,
    acts_as_agent: true,
    http: { method: 'GET', path: '/api/v1/room-documents/search' },
    cli: { args: ['q'], alias: 'search-documents', also: ['room search-documents'] },
    tools: [
      {
        name: 'mem_room_document_search',
        toolset: 'rooms',
        description: 'Find passages with page numbers in the documents of your rooms.',
        fields: ['q', 'room_id', 'document_id'],
        unlisted: ['limit'],
        about: { q: 'Words to find', room_id: 'Only in this room', document_id: 'Only in this document' },
        limit: 5,
        miss: 'fewer words, or mem_room_documents to see whether the text is ready',
      },
    ],
    input: () =>
      z.strictObject({
        q: s
          .text(1024)
          .meta({ description: 'Words, "phrases in quotes" and beginnings of words*.', examples: ['ship'] }),
        room_id: r.roomId.optional().meta({ description: 'Only in this room.' }),
        document_id: documentId.optional().meta({ description: 'Only in this document, with `room_id`.' }),
        limit: z.int().min(1).max(MAX_FOUND).default(10).meta({ description: 'How many passages, 1 to 50.' }),
        agent_id: actingAgent,
      }),
    output: () =>
      z.object({
        passages: z.array(
          z.object({
            room_id: r.roomId,
            document_id: documentId,
            name: z.string(),
            title,
            version: z.int(),
            page,
            text: z.string(),
            score: z.number().meta({ description: 'Higher is better; comparable within one answer only.' }),
          }),
        ),
        complete: z
          .boolean()
          .meta({ description: 'Whether all rooms and all passages with these words were compared.' }),
      }),
    errors,
    example: () => ({ q: 'ship' }),
  }),

  'room_documents.read': operation({
    summary: 'Read about a document',
    description: 'Whether its text was read, and what else is known of it.',
    module: 'room-documents',
    effect: 'read',
    cost: 1,
    in_room: 'agent',
    http: { method: 'GET', path: '/api/v1/rooms/{room_id}/documents/{document_id}' },
    cli: { args: ['room_id', 'document_id'], alias: 'show-document', also: ['room show-document'] },
    input: () => z.strictObject({ room_id: r.roomId, document_id: documentId }),
    output: () => roomDocument,
    errors: [...errors, 'not_found'],
    example: () => exampleDocument,
  }),

  'room_documents.read_text': operation({
    summary: 'Read the text of a document',
    description: 'In passages, in their order, each with its page. A page of much text has several.',
    module: 'room-documents',
    effect: 'read',
    cost: 1,
    in_room: 'agent',
    http: { method: 'GET', path: '/api/v1/rooms/{room_id}/documents/{document_id}/text' },
    cli: { args: ['room_id', 'document_id'], alias: 'read-document', also: ['room read-document'] },
    tools: [
      {
        name: 'mem_room_document_read',
        toolset: 'rooms',
        description: 'Read the text of a document of a room, page by page.',
        fields: ['room_id', 'document_id', 'from_page', 'to_page'],
        unlisted: ['limit', 'cursor'],
        about: { from_page: 'First page', to_page: 'Last page' },
        limit: 5,
        whole: true,
        miss: 'mem_room_documents, which says whether its text is ready, and why not',
      },
    ],
    input: () =>
      z.strictObject({
        room_id: r.roomId,
        document_id: documentId,
        from_page: page.optional().meta({ description: 'The first page; by default the first of the document.' }),
        to_page: page.optional().meta({ description: 'The last page; by default the last of the document.' }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () =>
      z.object({
        document_id: documentId,
        version: z
          .int()
          .nullable()
          .meta({ description: 'The version whose text this is; null where there is none yet.' }),
        page_count: z.int().nullable(),
        passages: z.array(z.object({ page, text: z.string() })),
        ...s.page,
      }),
    errors: [...errors, 'not_found', 'invalid_cursor'],
    example: () => exampleDocument,
  }),

  'room_documents.delete': operation({
    summary: 'Delete a document of a room',
    description:
      'With its text, at once. The agent that added its first version may do that, and the account that owns the room.',
    module: 'room-documents',
    effect: 'write',
    cost: 2,
    open_to_all: true,
    in_room: 'agent',
    removes: 'room_documents.add',
    http: { method: 'DELETE', path: '/api/v1/rooms/{room_id}/documents/{document_id}' },
    cli: { args: ['room_id', 'document_id'], alias: 'delete-document', also: ['room delete-document'] },
    tools: [
      {
        name: 'mem_room_delete_document',
        toolset: 'rooms',
        description: 'Delete a document that you added to a room, with its text and for good.',
        fields: ['room_id', 'document_id'],
        miss: 'mem_room_documents',
        destroys: true,
      },
    ],
    input: () => z.strictObject({ room_id: r.roomId, document_id: documentId, agent_id: actingAgent }),
    output: () => z.object({ document_id: documentId, room_id: r.roomId, deleted: z.literal(true) }),
    errors: [...errors, 'not_found'],
    example: () => exampleDocument,
  }),
};

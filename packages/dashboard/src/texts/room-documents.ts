import { counted, number } from './format.ts';

/** Texts of the files of a room. */
export const roomDocuments = {
  title: 'Documents',
  note: 'files that everyone in the room reads by page',
  document: 'Document',
  columns: { title: 'Document', by: 'Added by', pages: 'Pages', size: 'Size', status: 'Text', at: 'Changed' },
  statusOf: { pending: 'being read', ready: 'ready', failed: 'not read' },
  unknown: '–',
  none: 'No document yet',
  noneHint: 'Text, Markdown, PDF and Word files can be handed over to everyone in the room:',
  add: 'Add a document',
  addForm: {
    title: 'Add a document',
    file: 'File',
    hint: 'Text, Markdown, PDF or Word, at most 5 MiB. Another content under the same name is the next version.',
    tooLarge: 'It has more than 5 MiB.',
    name: 'What it is called',
    nameHint: 'The name of the file if empty.',
    submit: 'Add',
    working: 'The file is being sent',
    done: (name: string) => `${name} was added; its text is read now`,
  },
  find: 'Words in the documents',
  found: (n: number, complete: boolean) =>
    n === 0
      ? 'No passage has these words.'
      : `${counted(n, 'passage')}, the best first${complete ? '' : '; among the newest passages'}`,
  page: (n: number) => `page ${number(n)}`,
  pages: (n: number) => counted(n, 'page'),
  version: (n: number) => `v${number(n)}`,
  older: (n: number) => `This is the text of v${number(n)}, the newest that could be read.`,
  pending: 'Its text is being read; that takes some seconds.',
  delete: 'Delete the document',
  deleteMore: 'Delete…',
  deleteAction: 'Delete',
  deleteHint:
    'It is gone with its text, at once and for everyone in the room. Who added it may do that, and the owner of the room.',
  deleted: 'The document and its text are deleted',
} as const;

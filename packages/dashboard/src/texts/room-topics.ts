import { counted, number } from './format.ts';

const MAX_ENTRIES = 500;
const MAX_VERSIONS = 20;

/** Texts of what accounts share of their own memory with a room. */
export const roomTopics = {
  title: 'Topics',
  note: 'copies of paths that accounts share with everyone in the room',
  columns: { title: 'Topic', path: 'Shared path', by: 'Shared by', entries: 'Entries', at: 'Shared', do: 'Do' },
  none: 'No topic yet',
  noneHint: 'An account can share a path of its own memory with everyone in the room, as a copy with its history:',
  share: 'Share a path',
  shareForm: {
    title: 'Share a path with the room',
    hint:
      'Everyone in the room reads the copy, also who joins later. What changes in your account afterwards does not get there ' +
      'until the path is shared again.',
    path: 'Path',
    pathHint: 'checkout for one path, checkout/** for everything below it.',
    name: 'What it is about',
    nameHint: 'The path if empty. The directory shows it where the room can be found.',
    submit: 'Share',
    working: 'The entries are being copied',
    nothing: 'The dashboard sees no entry there.',
    found: (entries: number, paths: number, more: boolean) =>
      `${number(entries)}${more ? '+' : ''} ${entries === 1 && !more ? 'entry' : 'entries'} at ${counted(paths, 'path')} now.`,
    bounds: `Copied are those that every agent of your account may see: at most ${MAX_ENTRIES}, the newest ${MAX_VERSIONS} versions of each, without what looks like a credential.`,
  },
  shared: {
    title: 'The path is shared',
    facts: {
      where: 'In the room at',
      entries: 'Entries at the path',
      added: 'Versions added',
      leftOut: 'Left out, as they look like credentials',
    },
    close: 'Done',
  },
  actions: (title: string) => `Actions for ${title}`,
  again: 'Share again',
  sharedAgain: (versions: number) =>
    versions === 0 ? 'The room has all of it already' : `${counted(versions, 'version')} added`,
  remove: 'Remove…',
  removeForm: {
    title: (title: string) => `Remove ${title}`,
    hint: 'The topic leaves the list and the directory. Its entries stay in the room until they are deleted there.',
    submit: 'Remove',
    done: 'The topic is removed',
  },
} as const;

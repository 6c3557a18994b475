/** Sentences by line. Those that name a tool are said only where it is listed. */
const LINES = [
  ['Memory that outlives this conversation and is shared with other agents.'],
  [
    'First mem_briefing with the subject as entity_path: what held up, what failed, what changed since you were here, whom to ask.',
    'Before a task: ask mem_retrieve in a sentence and use what you find.',
    'mem_search finds exact words.',
    'confidence and evidence_status say how far an entry held up.',
    'entity_path with include_descendants covers a subject and all below it.',
  ],
  [
    'While working: mem_write what will matter again, one subject per key: entity_path names the subject (service/part), key the statement.',
    'memory_type: fact (checked), belief (guess; say why), experience (what happened), procedure (how to).',
    'Note outside sources with mem_record_context and what you did with mem_record_action; when an approach fails, mem_record_attempt.',
  ],
  [
    'At the end: mem_commit_outcome with a reference and how it went.',
    'It seals what you read and did into a trace and moves the confidence of what you read; name search hits that helped in used.',
  ],
  [
    'Rooms are shared with agents of other accounts, so write there only what they may know: mem_my_rooms and mem_my_invitations show yours, mem_room_join lets you in, mem_room_discuss speaks to the others.',
    'After mem_room_join the entries of a room are at entity_path @room_id/path, where mem_write, mem_read, mem_list, mem_search and mem_retrieve work as elsewhere; other calls show none of them.',
  ],
  [
    'Hits are rows under columns; an object at the end of a row says what is unusual.',
    'Values in lists are cut at 2000 characters; mem_read gives the whole.',
    'mem_delete what is wrong; mem_restore brings it back.',
    'Never store secrets.',
  ],
] as const;

/** Instructions that a client passes to its model once, for these tools. */
export function instructionsFor(tools: readonly { name: string }[]): string {
  const listed = new Set(tools.map(({ name }) => name));
  const canFollow = (sentence: string) => (sentence.match(/\bmem_\w+/g) ?? []).every((name) => listed.has(name));
  const lines = LINES.map((sentences) => sentences.filter(canFollow).join(' '));
  return lines.filter((line) => line !== '').join('\n');
}

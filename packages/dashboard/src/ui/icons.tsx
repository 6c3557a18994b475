/** Icons of 16 px, drawn with one line. */
const PATHS = {
  overview: 'M2 13h12M4 13V8m4 5V3m4 10V6',
  memory: 'M2.5 4.5l5.5-2 5.5 2-5.5 2zM2.5 8l5.5 2 5.5-2M2.5 11.5l5.5 2 5.5-2',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7L14 14',
  timeline: 'M4 2v12M4 5h6a2 2 0 0 1 2 2v7M4 5m-1.5 0a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0',
  traces: 'M2 3.5h7M4 8h8M7 12.5h7',
  agents:
    'M8 6.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM3.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM12.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM7 6.4L4.3 10.7M9 6.4l2.7 4.3M5 12h6',
  'pull-request':
    'M4 5.5v8M4 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM12 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM12 10.5V7a2 2 0 0 0-2-2H7.5',
  branch:
    'M4.500 5.500v5M4.500 5.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zM4.500 13.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zM11.500 5.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zM11.500 5.500v1a2 2 0 0 1-2 2h-5',
  document: 'M3.5 2.5h6l3 3v8h-9zM9.5 2.5v3h3',
  plug: 'M6 2.500v3M10 2.500v3M4 5.500h8v2.500a4 4 0 0 1-8 0zM8 12v2',
  key: 'M5.5 13a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM7.3 8.7L13 3m-2 2l1.5 1.5',
  list: 'M3 2.5h10v11H3zM5.5 6h5M5.5 9h5',
  gauge: 'M2.5 10a5.5 5.5 0 1 1 11 0M8 10l2.5-3',
  export: 'M8 2v8m0 0l-3-3m3 3l3-3M2.5 13.5h11',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.500V8l2.500 1.500',
  team: 'M6 7.500a2.250 2.250 0 1 0 0-4.500 2.250 2.250 0 0 0 0 4.500zM2 13.500c0-2.500 1.800-4 4-4s4 1.500 4 4M11 7.500a2 2 0 0 0 0-4M12 9.800c1.300.5 2 1.800 2 3.700',
  shield: 'M8 2l5 2v4c0 3-2.200 5-5 6-2.800-1-5-3-5-6V4z',
  more: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  dots: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.500v9l7-4.500z',
  back: 'M10 3L5 8l5 5',
  right: 'M6 4l4 4-4 4',
  down: 'M4 6.5l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  close: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  check: 'M3.500 8.500l3 3 6-7',
  edit: 'M3 13l.8-3L10.500 3.300l2.200 2.200L6 12.200zM9 4.800L11.200 7',
  trash: 'M3 4.500h10M6.500 4.500v-2h3v2M4.500 4.500l.500 9h6l.500-9',
  undo: 'M3 6.500h7a3 3 0 0 1 0 6H7M3 6.500L6 3.500M3 6.500l3 3',
  filter: 'M2.500 4h11M4.500 8h7M6.500 12h3',
  sun: 'M8 10.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM8 1.800v1.400M8 12.800v1.400M1.800 8h1.400M12.800 8h1.400M3.600 3.600l1 1M11.400 11.400l1 1M3.600 12.400l1-1M11.400 4.600l1-1',
  moon: 'M13 9.500A5.500 5.500 0 0 1 6.500 3a5.500 5.500 0 1 0 6.500 6.500z',
  link: 'M7 9.500a2.500 2.500 0 0 0 3.500 0l2-2A2.500 2.500 0 0 0 9 4l-.8.8M9 6.500a2.500 2.500 0 0 0-3.500 0l-2 2A2.500 2.500 0 0 0 7 12l.8-.8',
  keyboard: 'M1.500 4h13v8h-13zM4 6.500h.01M6.700 6.500h.01M9.300 6.500h.01M12 6.500h.01M5 9.500h6',
  exit: 'M6.500 3h-3v10h3M10 5l3 3-3 3M13 8H6.500',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'dots' ? 1.8 : 1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Mark() {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
    >
      <path d="M2 13V4l3 5 3-5 3 5 3-5v9" />
    </svg>
  );
}

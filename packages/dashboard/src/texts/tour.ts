type TourStep = {
  at: string;
  title: string;
  text: string;
  /** What it says instead on a phone, which has no keys. */
  touch?: { title?: string; text: string };
};

/** The first-run tour: what each part of the Overview is for. */
export const tour = {
  label: 'Tour',
  of: (step: number, all: number) => `${step} of ${all}`,
  next: 'Next',
  done: 'Done',
  skip: 'Skip',
  take: 'Take the tour',
  steps: [
    {
      at: 'figures',
      title: 'What your agents know',
      text: 'Entries are what agents wrote down. Outcomes say how the work went that used them, and move their confidence.',
    },
    {
      at: 'activity',
      title: 'What happened, over time',
      text: 'Choose an hour or a month above. Arrow keys walk through the bars; Table shows the numbers.',
      touch: { text: 'Choose an hour or a month above. Table shows the numbers.' },
    },
    {
      at: 'live',
      title: 'As it happens',
      text: 'Every change appears here at once. Rows wait while you read, and p pauses them. Each one opens what it is about.',
      touch: { text: 'Every change appears here at once. Each row opens what it is about.' },
    },
    {
      at: 'needs',
      title: 'What needs a person',
      text: 'Entries on which outcomes disagree, work that used an outdated version, grave failures and open reviews.',
    },
    {
      at: 'find',
      title: 'Everything from the keyboard',
      text: 'Ctrl K or Cmd K goes anywhere and finds any entry or agent. ? lists all keys.',
      touch: {
        title: 'Everything from one place',
        text: 'The magnifying glass goes anywhere and finds any entry or agent.',
      },
    },
  ] as readonly TourStep[],
} as const;

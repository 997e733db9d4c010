/** Runs an action when a form is submitted, in place of the browser. */
export const onSubmit = (action: () => unknown) => (event: Event) => {
  event.preventDefault();
  void action();
};

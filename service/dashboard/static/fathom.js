// What is fetched again must not close what a reader has opened.
document.addEventListener("DOMContentLoaded", () => {
  Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, node) => !(name === "open" && node.nodeName === "DETAILS");
});

// The library's scripts are told by code which form is theirs; here by an attribute, since pages hold no code.
const button = document.querySelector("[data-passkey]");
const ids = { add: button.id, authenticate: button.id, credential: "id_credential", data: "passkey-data" };
window.allauth.webauthn.forms[button.dataset.passkey]({ ids });
document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  document.getElementById("passkey-failed").hidden = false;
});
